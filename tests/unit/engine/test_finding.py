"""Hosts of a role are compared with each other; who has it otherwise is named, and a tie names everybody."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import pytest

from hostmuster.engine.alike import offered, undeclared
from hostmuster.engine.catalogue import compile_fleet
from hostmuster.engine.finding import Finding, Looked, findings
from hostmuster.item import Item, ItemModule
from hostmuster.model.fleet import Fleet
from hostmuster.model.inventory import load_fleet
from hostmuster.project import Project
from hostmuster.resources.alike import Alike
from hostmuster.resources.directory import Directory
from hostmuster.resources.file import File
from hostmuster.resources.package import DPKG, Package
from hostmuster.resources.resource import Observation, Probe, Question, Resource

CODE = Alike("/opt/x", Question(Probe("code", (), lambda _output, _keys: {}), "/opt/x"))


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    """w-1 to w-4 are workers, w-4 of Debian 13 and a server too; s-1 is a server alone."""
    (tmp_path / "inventory").mkdir()
    hosts = "".join(f"  w-{n}: {{address: 192.0.2.{n}, debian: 12, roles: [worker]}}\n" for n in (1, 2, 3))
    hosts += "  w-4: {address: 192.0.2.4, debian: 13, roles: [worker, server]}\n"
    hosts += "  s-1: {address: 192.0.2.5, debian: 12, roles: [server]}\n"
    text = f"fleet: f\nlab: false\nroles: {{worker: {{}}, server: {{}}}}\nhosts:\n{hosts}"
    (tmp_path / "inventory" / "f.yml").write_text(text)
    return load_fleet(Project(tmp_path), "f", None)


def found(fleet: Fleet, answers: Mapping[str, str], one: Alike = CODE, *, applied: str = "") -> list[Finding]:
    """What is found where these hosts answer so."""
    name = (one.question.probe.name, one.question.key)
    hosts = [Looked(fleet.hosts[host], (one,), Observation({name: said}), applied) for host, said in answers.items()]
    return findings(hosts)


def test_the_fewer_hosts_are_named_first_with_what_the_others_have(fleet: Fleet) -> None:
    (one,) = found(fleet, {"w-1": "def", "w-2": "abc", "w-3": "def"})
    assert str(one) == "w-2: /opt/x: abc (1 host), others def (2: w-1, w-3)"
    assert one.document() == {
        "role": "worker",
        "thing": "/opt/x",
        "values": [{"value": "def", "hosts": ["w-1", "w-3"]}, {"value": "abc", "hosts": ["w-2"]}],
        "text": str(one),
    }


def test_a_tie_names_both_sides_and_three_values_all_three(fleet: Fleet) -> None:
    (tie,) = found(fleet, {"w-1": "def", "w-2": "abc"})
    assert str(tie) == "/opt/x: def (1: w-1), abc (1: w-2)"
    (three,) = found(fleet, {"w-1": "a", "w-2": "b", "w-3": "a", "w-4": "c"})
    assert str(three) == "/opt/x: a (2: w-1, w-3), b (1: w-2), c (1: w-4)"


def test_hosts_alike_or_alone_in_their_role_are_none(fleet: Fleet) -> None:
    assert found(fleet, {"w-1": "a", "w-2": "a", "s-1": "b"}) == []


def test_a_host_of_two_roles_is_compared_in_each(fleet: Fleet) -> None:
    both = found(fleet, {"w-1": "a", "w-4": "b", "s-1": "c"})
    assert [(one.role, str(one)) for one in both] == [
        ("worker", "/opt/x: a (1: w-1), b (1: w-4)"),
        ("server", "/opt/x: b (1: w-4), c (1: s-1)"),
    ]


def test_versions_of_packages_are_compared_within_one_release(fleet: Fleet) -> None:
    (version,) = Package("curl").alike()
    assert version.question == Question(DPKG, "curl")
    assert found(fleet, {"w-1": "ii |7.88", "w-2": "hi |7.88", "w-4": "ii |8.14"}, version) == []
    (one,) = found(fleet, {"w-1": "ii |7.88", "w-2": "ii |7.87", "w-3": "ii |7.88", "w-4": "ii |8.14"}, version)
    assert str(one) == "w-2: package curl (Debian 12): 7.87 (1 host), others 7.88 (2: w-1, w-3)"


def test_a_package_that_is_not_installed_is_the_items_own_difference(fleet: Fleet) -> None:
    (version,) = Package("curl").alike()
    assert found(fleet, {"w-1": "ii |7.88", "w-2": "rc |7.87"}, version) == []


def test_a_host_that_missed_the_last_apply_is_named_whatever_its_role(fleet: Fleet) -> None:
    hosts = [Looked(fleet.hosts[name], (), Observation({}), "new") for name in ("w-1", "s-1")]
    behind = Looked(fleet.hosts["w-2"], (), Observation({}), "old")
    (one,) = findings([*hosts, behind])
    assert (one.role, str(one)) == (None, "w-2: revision applied last: old (1 host), others new (2: w-1, s-1)")
    assert findings([*hosts, behind], whole=False) == []


UNIT = b"[Service]\nExecStart=/opt/service/run --data /srv/data\nWorkingDirectory=/srv\n"


def an_item(name: str, *resources: Resource) -> ItemModule:
    module = ModuleType(name, "What it is for.")
    module.ITEM = Item(name)  # type: ignore[attr-defined]
    module.resources = lambda _host: iter(resources)  # type: ignore[attr-defined]
    module.effects = lambda _host: iter(())  # type: ignore[attr-defined]
    return module


def offers(fleet: Fleet, *resources: Resource) -> list[str]:
    compiled = compile_fleet(fleet, [an_item("one", *resources[:1]), an_item("two", *resources[1:])])
    return [one.name for part in compiled.hosts["w-1"] for one in part.alike]


def test_what_a_unit_relies_on_is_offered_by_its_file(fleet: Fleet) -> None:
    unit = File("/etc/systemd/system/x.service", UNIT, lint="systemd-unit")
    assert offers(fleet, unit) == ["/opt/service", "/srv/data", "/srv"]


def test_what_any_item_writes_is_not_compared_but_code_put_into_a_declared_folder_is(fleet: Fleet) -> None:
    unit = File("/etc/systemd/system/x.service", UNIT, lint="systemd-unit")
    assert offers(fleet, unit, Directory("/srv/data")) == ["/opt/service"]
    assert offers(fleet, unit, Directory("/opt/service")) == ["/opt/service", "/srv/data", "/srv"]
    assert offers(fleet, unit, File("/opt/service/lib/a.py", b"")) == ["/srv/data", "/srv"]


def test_an_item_module_may_offer_more_than_its_resources(fleet: Fleet) -> None:
    module = an_item("images", Package("curl"))
    module.alike = lambda host: iter([CODE])  # type: ignore[attr-defined]
    offers = offered(fleet.hosts["w-1"], module, module.resources(fleet.hosts["w-1"]))  # type: ignore[arg-type]
    assert [one.name for one in undeclared(offers, {})] == ["package curl", "/opt/x"]
