"""Twenty-five files of settings lie in one directory, readable by every user."""

from __future__ import annotations

from collections.abc import Iterator

from hostmuster.item import Answer, Effect, Item, Seen
from hostmuster.model.fleet import Host
from hostmuster.resources.directory import Directory
from hostmuster.resources.file import File
from hostmuster.template import Declared, Templated

ITEM = Item("settings")
FOLDER = "/etc/bench"
FILES = {number: f"{FOLDER}/part-{number}.conf" for number in range(1, 26)}


def resources(host: Host) -> Iterator[Declared]:
    """The directory and its files."""
    yield Directory(FOLDER)
    for number, path in FILES.items():
        values = {"server": host.name, "address": host.address, "number": number}
        yield Templated(File(path, b""), "part.conf.j2", values)


def effects(host: Host) -> Iterator[Effect]:
    """A user who is nobody reads them all."""
    nobody = ("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--")
    yield Effect("every user reads them", (*nobody, "cksum", *FILES.values()), _readable)


def _readable(answer: Answer) -> Seen:
    return Seen(answer.status == 0, f"{len(answer.output.splitlines())} of {len(FILES)} files read")
