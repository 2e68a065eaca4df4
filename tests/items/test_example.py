"""The fleet file that a newcomer copies compiles as it stands, and says enough to be worth copying."""

from __future__ import annotations

from deploys.checklist import CHECKLIST
from hostmuster.engine.catalogue import compile_fleet
from hostmuster.model.inventory import load_fleet
from hostmuster.project import Project
from tests.items.project import KEY, PUBLIC, REPOSITORY

SCHEMAS = {module.ITEM.name: module.ITEM.settings for module in CHECKLIST}
OPERATORS = {"operator/alice.pub": KEY, "operator/bob.pub": KEY.replace("IJ0V", "IJ1V")}


def test_the_example_compiles_on_every_host() -> None:
    fleet = load_fleet(Project(REPOSITORY), "example", SCHEMAS, public=PUBLIC | OPERATORS)
    catalogue = compile_fleet(fleet, CHECKLIST)
    assert list(catalogue.hosts) == ["server-1", "server-2", "worker-1", "worker-2", "ingress-1", "ingress-2"]
    items = {name: [part.item.name for part in parts] for name, parts in catalogue.hosts.items()}
    declared = {name for names in items.values() for name in names}
    # Secrets are declared once the store has some, and a database has one; names for two sites, a panel's files: where
    # there are such.
    assert declared | {"secrets", "database", "dns_failover", "panel"} >= {module.ITEM.name for module in CHECKLIST}
    assert "egress" in items["worker-1"]
    assert "egress" not in items["server-1"]


def test_each_item_of_the_example_says_what_it_is_for() -> None:
    text = (REPOSITORY / "inventory" / "example.yml").read_text()
    lines = [line.strip() for line in text.splitlines()]
    for module in CHECKLIST:
        if (line := f"{module.ITEM.name}:") in lines and module.ITEM.name != "containers":
            assert lines[lines.index(line) - 1].startswith("#"), module.ITEM.name
