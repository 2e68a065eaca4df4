"""What a rollout does on one host, as steps of its transaction: a generation beside the others, then the switch."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Set
from typing import Final

from hostmuster.resources.step import Meet, Owe, Put, PutLink, Run, Step
from hostmuster.secrets import moment
from hostmuster.secrets.generation import Readers
from hostmuster.secrets.reader import CURRENT, Reader, paths
from hostmuster.secrets.start_gate import ANNOUNCED, OPENED, SHUT

GENERATIONS: Final = "/var/lib/hostmuster/generations"

# All but the one in use and the one to come; nothing refers to what goes.
_SWEEP = f"""\
cd {GENERATIONS} && used=$(readlink {CURRENT})
for one in *; do
    [ ! -d "$one" ] || [ "$one" = "${{used##*/}}" ] || [ "$one" = "$1" ] || rm -rf -- "$one"
done"""


def folder_of(number: int) -> str:
    """Where a generation lies on each host."""
    return f"{GENERATIONS}/{number}"


def staged(files: Mapping[str, bytes], number: int) -> list[Step]:
    """The files of a generation, for root alone; what an older rollout left goes."""
    folder = folder_of(number)
    folders = sorted({f"{folder}/{path}".rpartition("/")[0] for path in files} - {folder})
    making = ("install", "-d", "-m", "0700", "--", GENERATIONS, folder, *folders)
    puts = [Put(f"{folder}/{path}", content, "0400", "root", "root") for path, content in files.items()]
    return [Run(making), Run(("sh", "-c", _SWEEP, "sh", str(number))), Run(("sync", "--", GENERATIONS, folder)), *puts]


def switched(number: int, readers: Readers, differing: Set[str], *, newest: bool = True) -> list[Step]:
    """What next starts take, from the moment on at which all hosts are ready; services of which a file is among those
    that differ, by path, are owed a restart, or those that read them anew at a reload that (O4).

    Its number is there for the other hosts' start gates at the same time; its own is open once all have switched, if
    that is the `newest` that any of them has then.
    """
    changed = [one for name, one in readers.items() if not differing.isdisjoint(paths(name, one))]
    running = (one for one in changed if not one.timed)
    actions = {one.unit: one.reloads for one in sorted(running, key=lambda reader: not reader.reloads)}
    owed = [Owe(unit, "reload" if reloads else "restart") for unit, reloads in actions.items()]
    links = [PutLink(CURRENT, f"generations/{number}"), PutLink(ANNOUNCED, str(number))]
    moments = moment.made(_started(changed), number)
    kept = moment.kept(_started(readers.values()))
    return [kept, Meet(), *links, *moments, *owed, Meet(), OPENED if newest else SHUT]


def unlike(files: Mapping[str, bytes], folder: str, salt: str, told: Set[str]) -> set[str]:
    """The paths of those that lie otherwise in the folder, or not at all, by the digests that the host told."""
    return {path for path, content in files.items() if f"{_salted(salt, content)}  {folder}/{path}" not in told}


def _started(readers: Iterable[Reader]) -> list[str]:
    """The units that read at their start."""
    return list(dict.fromkeys(one.unit for one in readers if not one.reloads))


def _salted(salt: str, content: bytes) -> str:
    return hashlib.sha256(salt.encode() + content).hexdigest()
