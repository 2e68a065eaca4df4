"""`secrets.remove` as typed: what leaves the store, and what does not while something leads to it."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from hostmuster.errors import Refused
from hostmuster.secrets.founding import found_store
from hostmuster.secrets.kinds.catalogue import KINDS
from hostmuster.secrets.sshkeys import generate
from hostmuster.secrets.store import Store
from hostmuster.secrets.value import Secret
from tests.items.project import REPOSITORY, fleet

from .conftest import Operator

PASSWORD = b"correct horse battery staple"
READERS = {"app": {"unit": "app.service", "files": {"password": "db-password"}}}
"""Beside db-password nothing is named."""


def declared(operator: Operator, settings: dict[str, Any]) -> None:
    """The fleet of these settings, with the repository's checklist."""
    fleet(operator.project, settings)
    (operator.project / "inventory" / "lab.yml").write_text(
        (operator.project / "inventory" / "unit.yml").read_text().replace("fleet: unit", "fleet: lab")
    )
    if not (operator.project / "deploys").exists():
        (operator.project / "deploys").symlink_to(REPOSITORY / "deploys")


@pytest.fixture
def holding(founded: Operator) -> Operator:
    """Somebody whose store has a password, and a fleet that reads nothing."""
    declared(founded, {})
    assert founded.run("secrets.set", "db-password", given=PASSWORD).returncode == 0
    return founded


def test_a_secret_that_nothing_reads_is_taken_out_and_all_else_stays(holding: Operator) -> None:
    before = Store.read(holding.path)
    text = holding.path.read_text()
    done = holding.run("secrets.remove", "db-password")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(b"db-password: removed\n")
    for word in (b"git's history", b"until the next rollout", b"provider"):
        assert word in done.stdout
    after = Store.read(holding.path)
    after.verify()
    assert after.names() == ("ssh-ca", "automation-key")
    assert after.value("ssh-ca") == before.value("ssh-ca")
    kept = [line for line in text.splitlines() if line in holding.path.read_text().splitlines()]
    assert len(text.splitlines()) - len(kept) == 6, "its three lines, and the names, the MAC and the time of the write"


def test_a_ring_leaves_with_all_its_keys(holding: Operator) -> None:
    assert holding.run("secrets.set", "signing", "--kind", "rsa-signing-ring", "--generate").returncode == 0
    assert holding.run("secrets.remove", "signing").returncode == 0
    after = Store.read(holding.path)
    after.verify()
    assert "signing" not in after.names()


def test_one_that_a_reader_names_stays_and_the_line_is_told(holding: Operator) -> None:
    declared(holding, {"secrets": {"readers": READERS}})
    text = (holding.project / "inventory" / "lab.yml").read_text()
    line = 1 + text.splitlines().index(next(one for one in text.splitlines() if "db-password" in one))
    refused = holding.run("secrets.remove", "db-password")
    assert refused.returncode == 3
    assert refused.stdout == b""
    assert f"inventory/lab.yml:{line} names it\n".encode() in refused.stderr
    assert b"take it out there" in refused.stderr
    assert "db-password" in Store.read(holding.path).names()


def test_an_operators_key_stays_while_the_fleet_lets_them_in(holding: Operator) -> None:
    assert holding.run("secrets.set", "operator/ada", given=generate("ada")[1].encode()).returncode == 0
    declared(holding, {"access": {"operators": {"ada": {"keys": ["operator/ada"]}}}})
    refused = holding.run("secrets.remove", "operator/ada")
    assert refused.returncode == 3
    assert b"without it the store has no public key `operator/ada`" in refused.stderr
    declared(holding, {})
    done = holding.run("secrets.remove", "operator/ada")
    assert (done.returncode, done.stdout) == (0, b"operator/ada: removed\n")


def test_one_that_an_item_could_do_without_stays_too(holding: Operator) -> None:
    assert holding.run("secrets.set", "alerts", given=b"https://alerts.example.net/a/b").returncode == 0
    webhook = {"secret": "alerts", "origin": "https://alerts.example.net", "optional": True}
    declared(holding, {"monitor": {"webhook": webhook}})
    refused = holding.run("secrets.remove", "alerts")
    assert refused.returncode == 3
    assert b"server-1: secret file /etc/hostmuster/monitor/url" in refused.stderr


@pytest.mark.parametrize("name", ["ssh-ca", "automation-key"])
def test_what_every_run_needs_is_never_taken_out(holding: Operator, name: str) -> None:
    refused = holding.run("secrets.remove", name)
    assert refused.returncode == 3
    assert f"`{name}` is hostmuster's own".encode() in refused.stderr


def test_the_last_one_does_not_leave_a_store_without_any(operator: Operator) -> None:
    recipient = found_store(operator.path, "lab", [], operator.environ, operator.home).store.recipients
    opaque, value = KINDS["opaque"], Secret(PASSWORD.decode())
    alone = Store.create(
        operator.path.with_name("other.yml"), recipient, {"only": (opaque, opaque.check(value, "only"))}
    )
    with pytest.raises(Refused, match="`only` is all that is in the store"):
        alone.remove("only")
    Store.read(alone.path).verify()


def test_an_unknown_name_is_told_with_what_there_is(holding: Operator) -> None:
    refused = holding.run("secrets.remove", "db-pasword")
    assert refused.returncode == 3
    assert b"no secret named `db-pasword`\n    it has: ssh-ca, automation-key, db-password" in refused.stderr


def test_nothing_leaves_while_the_fleet_file_cannot_be_read(holding: Operator) -> None:
    path = holding.project / "inventory" / "lab.yml"
    path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text()) | {"unknown": 1}))
    refused = holding.run("secrets.remove", "db-password")
    assert refused.returncode == 3
    assert b"unknown" in refused.stderr
    assert "db-password" in Store.read(holding.path).names()
