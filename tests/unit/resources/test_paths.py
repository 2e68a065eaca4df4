"""Files, directories and links: what counts as different, and what is done about it."""

from __future__ import annotations

import hashlib

import pytest

from hostmuster.resources.directory import Directory
from hostmuster.resources.file import DAEMON_RELOAD, File
from hostmuster.resources.link import Link
from hostmuster.resources.step import Blocked, Keep, Owe, Put, PutLink, Run
from tests.unit.resources.seen import found, seen

HELLO = b"hello\n"
SUM = hashlib.sha256(HELLO).hexdigest()
AS_DECLARED = "/etc/f|regular file|644|root|root|6|/etc/f"


def a_file(**more: object) -> File:
    return File("/etc/f", HELLO, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("stat", "digest", "differs"),
    [
        (AS_DECLARED, SUM, {}),
        ("", "", {"presence": ("missing", "a file")}),
        ("/etc/f|symbolic link|777|root|root|5|/etc/f -> /etc/g", "", {"presence": ("a symbolic link", "a file")}),
        ("/etc/f|directory|755|root|root|40|/etc/f", "", {"presence": ("a directory", "a file")}),
        ("/etc/f|fifo|644|root|root|0|/etc/f", "", {"presence": ("a fifo", "a file")}),
        ("/etc/f|regular file|600|root|root|6|/etc/f", SUM, {"mode": ("0600", "0644")}),
        ("/etc/f|regular file|4644|root|root|6|/etc/f", SUM, {"mode": ("4644", "0644")}),
        ("/etc/f|regular file|644|root|adm|6|/etc/f", SUM, {"owner": ("root:adm", "root:root")}),
        (AS_DECLARED, "0" * 64, {"content": ("another (6 bytes)", "6 bytes")}),
    ],
)
def test_a_file_differs_in(stat: str, digest: str, differs: dict[str, tuple[str, str]]) -> None:
    digests = f"{digest}  /etc/f" if digest else ""
    assert found(a_file(), stat=stat, digest=digests) == differs


def test_a_changed_content_owes_its_readers_a_restart_and_a_changed_mode_does_not() -> None:
    file = a_file(restarts=("web.service",), reloads=("proxy.service",))
    other = seen(file, stat=AS_DECLARED, digest=f"{'0' * 64}  /etc/f")
    assert [s for s in file.steps(other) if isinstance(s, Owe)] == [
        Owe("web.service", "restart"),
        Owe("proxy.service", "reload"),
    ]
    mode = seen(file, stat="/etc/f|regular file|600|root|root|6|/etc/f", digest=f"{SUM}  /etc/f")
    assert [type(s) for s in file.steps(mode)] == [Put]


def test_a_changed_unit_file_is_loaded_by_systemd() -> None:
    file = File("/etc/systemd/system/x.service", HELLO)
    assert DAEMON_RELOAD in list(file.steps(seen(file)))


def test_a_timer_is_held_while_its_file_changes_and_started_without_a_past() -> None:
    timer = File("/etc/systemd/system/x.timer", HELLO)
    there = seen(timer, stat="/etc/systemd/system/x.timer|regular file|644|root|root|9|/etc/systemd/system/x.timer")
    hold, put, load, go_on = timer.steps(there)
    assert isinstance(hold, Run)
    assert isinstance(put, Put)
    assert load == DAEMON_RELOAD
    assert isinstance(go_on, Run)
    assert (hold.undo, go_on.undo) == (go_on.argv, hold.argv)
    assert [type(step) for step in timer.steps(seen(timer))] == [Put, Run]


def test_what_is_neither_file_nor_link_nor_directory_is_named_not_removed() -> None:
    steps = list(a_file().steps(seen(a_file(), stat="/etc/f|socket|644|root|root|0|/etc/f")))
    assert steps[0] == Blocked("/etc/f is a socket: move it away, then apply again")


def test_a_files_body_shows_in_no_repr_and_no_difference() -> None:
    assert "hello" not in repr(a_file())
    assert all("hello" not in str(d) for d in a_file().compare(seen(a_file())))


@pytest.mark.parametrize(
    ("stat", "differs"),
    [
        ("/srv/d|directory|750|root|root|40|/srv/d", {}),
        ("", {"presence": ("missing", "a directory")}),
        ("/srv/d|regular file|750|root|root|4|/srv/d", {"presence": ("a regular file", "a directory")}),
        ("/srv/d|directory|755|root|root|40|/srv/d", {"mode": ("0755", "0750")}),
    ],
)
def test_a_directory_differs_in(stat: str, differs: dict[str, tuple[str, str]]) -> None:
    assert found(Directory("/srv/d", "0750"), stat=stat) == differs


def test_a_link_in_a_directorys_place_is_replaced_and_a_file_there_is_somebodys_data() -> None:
    directory = Directory("/srv/d")
    link = list(directory.steps(seen(directory, stat="/srv/d|symbolic link|777|root|root|4|/srv/d -> /x")))
    assert link[:2] == [Keep("/srv/d"), Run(("rm", "-f", "--", "/srv/d"))]
    file = list(directory.steps(seen(directory, stat="/srv/d|regular file|644|root|root|4|/srv/d")))
    assert file[1:] == [Blocked("/srv/d is a regular file: move it away, then apply again")]


@pytest.mark.parametrize(
    ("stat", "differs"),
    [
        ("/opt/now|symbolic link|777|root|root|4|/opt/now -> releases/2", {}),
        ("/opt/now|symbolic link|777|root|root|4|/opt/now -> releases/1", {"target": ("releases/1", "releases/2")}),
        ("/opt/now|directory|755|root|root|4|/opt/now", {"presence": ("a directory", "a link")}),
    ],
)
def test_a_link_differs_in(stat: str, differs: dict[str, tuple[str, str]]) -> None:
    link = Link("/opt/now", "releases/2")
    assert found(link, stat=stat) == differs
    assert PutLink("/opt/now", "releases/2") in list(link.steps(seen(link, stat=stat)))
