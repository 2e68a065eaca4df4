"""The compile stage refuses what no host should ever see, and says all of it at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from hostmuster.engine.catalogue import compile_fleet
from hostmuster.errors import InputError, Problem
from hostmuster.item import Effect, Item, ItemModule
from hostmuster.model.fleet import Fleet, Host
from hostmuster.model.inventory import load_fleet
from hostmuster.project import Project
from hostmuster.resources.directory import Directory
from hostmuster.resources.file import File
from hostmuster.resources.link import Link
from hostmuster.resources.package import Package
from hostmuster.resources.resource import Resource
from hostmuster.resources.user import User


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    (tmp_path / "inventory").mkdir()
    hosts = "hosts:\n  a: {address: 192.0.2.1, debian: 12, roles: [web]}\n"
    hosts += "  b: {address: 192.0.2.2, debian: 12, roles: [db]}\n"
    (tmp_path / "inventory" / "f.yml").write_text(f"fleet: f\nlab: false\nroles: {{web: {{}}, db: {{}}}}\n{hosts}")
    return load_fleet(Project(tmp_path), "f", None)


def an_item(name: str, *resources: Resource, roles: tuple[str, ...] = ()) -> ItemModule:
    module = ModuleType(name, "What it is for.\n\nMore.")

    def declared(_host: Host) -> Iterator[Resource]:
        yield from resources

    def effects(_host: Host) -> Iterator[Effect]:
        yield from ()

    module.ITEM = Item(name, frozenset(roles))  # type: ignore[attr-defined]
    module.resources = declared  # type: ignore[attr-defined]
    module.effects = effects  # type: ignore[attr-defined]
    return module


def test_an_item_reaches_the_hosts_of_its_roles(fleet: Fleet) -> None:
    compiled = compile_fleet(fleet, [an_item("web", File("/etc/a", b""), roles=("web",))])
    assert [len(parts) for parts in compiled.hosts.values()] == [1, 0]
    assert compiled.hosts["a"][0].text == "What it is for."


@pytest.mark.parametrize(
    ("resources", "says"),
    [
        ((File("/usr/bin/x", b""),), "/usr/bin/x is outside"),
        ((Directory("/var/lib/hostmuster/x"),), "/var/lib/hostmuster/x is no file of an item"),
        ((Link("/bin/x", "y"),), "/bin/x is outside"),
        ((File("/etc/x", b"", owner="nobodys"),), "nobodys, whom nobody makes"),
        ((Directory("/srv/x", group="nogroups"),), "nogroups, whom nobody makes"),
    ],
)
def test_refused_before_any_connection(fleet: Fleet, resources: tuple[Resource, ...], says: str) -> None:
    with pytest.raises(InputError, match=says):
        compile_fleet(fleet, [an_item("x", *resources)])


def test_an_owner_that_an_item_makes_is_known(fleet: Fleet) -> None:
    compile_fleet(fleet, [an_item("x", User("svc", home="/srv/svc"), File("/etc/x", b"", owner="svc", group="svc"))])


def test_two_items_that_claim_one_path_are_both_named(fleet: Fleet) -> None:
    with pytest.raises(InputError) as error:
        compile_fleet(fleet, [an_item("one", File("/etc/x", b"")), an_item("two", Link("/etc/x", "y"))])
    assert "declared twice, by one and by two" in str(error.value)


def test_two_items_may_ask_for_one_package(fleet: Fleet) -> None:
    compile_fleet(fleet, [an_item("one", Package("curl")), an_item("two", Package("curl"))])


def test_every_problem_is_told_at_once(fleet: Fleet) -> None:
    with pytest.raises(InputError) as error:
        compile_fleet(fleet, [an_item("x", File("/bin/x", b""), File("/bin/y", b"", owner="who"))])
    assert len(error.value.problems) == 6  # two paths and one owner, on two hosts
    assert error.value.exit_code == 3


def test_the_users_of_an_item_that_does_not_compile_are_not_missed_in_the_others(fleet: Fleet) -> None:
    makes_users = an_item("access")

    def refuses(host: Host) -> Iterator[Resource]:
        if host.name == "a":
            raise InputError([Problem("f.yml:9", "the store has no public key `x`", "set it")])
        yield User("svc", home="/srv/svc")

    makes_users.resources = refuses  # type: ignore[method-assign]
    with pytest.raises(InputError) as error:
        compile_fleet(fleet, [makes_users, an_item("x", File("/etc/x", b"", owner="svc"), File("/bin/x", b""))])
    assert [problem.what for problem in error.value.problems] == [
        "the store has no public key `x`",
        *["/bin/x is outside what an item may write"] * 2,
    ]


@pytest.mark.parametrize(
    "path",
    ["/etc/shadow", "/etc/passwd-", "/etc/pam.d/sshd", "/root/.ssh/authorized_keys", "/etc/ssh/ssh_host_ed25519_key"],
)
def test_what_decides_who_gets_in_is_no_file_of_an_item(fleet: Fleet, path: str) -> None:
    with pytest.raises(InputError, match=re.escape(path)) as error:
        compile_fleet(fleet, [an_item("x", File(path, b""))])
    assert "locks everybody out" in error.value.problems[0].what
