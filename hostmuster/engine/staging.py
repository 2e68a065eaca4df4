"""What a rollout does on one host, as steps of its transaction: a generation beside the others, then the switch."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Final

from hostmuster.resources.resource import Meet, Owe, Put, PutLink, Run, Step
from hostmuster.secrets.reader import CURRENT, Reader
from hostmuster.secrets.start_gate import ANNOUNCED, OPENED, SHUT

GENERATIONS: Final = "/var/lib/hostmuster/generations"

# All but the one in use and the one to come; nothing refers to what goes.
_SWEEP = f"""\
cd {GENERATIONS} && used=$(readlink {CURRENT})
for one in *; do
    [ ! -d "$one" ] || [ "$one" = "${{used##*/}}" ] || [ "$one" = "$1" ] || rm -rf -- "$one"
done"""


def staged(files: Mapping[str, bytes], number: int) -> list[Step]:
    """The files of a generation, for root alone; what an older rollout left goes."""
    folder = f"{GENERATIONS}/{number}"
    folders = sorted({f"{folder}/{path}".rpartition("/")[0] for path in files} - {folder})
    making = ("install", "-d", "-m", "0700", "--", GENERATIONS, folder, *folders)
    puts = [Put(f"{folder}/{path}", content, "0400", "root", "root") for path, content in files.items()]
    return [Run(making), Run(("sh", "-c", _SWEEP, "sh", str(number))), Run(("sync", "--", GENERATIONS, folder)), *puts]


def switched(number: int, readers: Iterable[Reader], *, newest: bool = True) -> list[Step]:
    """What next starts take, from the moment on at which all hosts are ready; the services are owed a restart, or those
    that read them anew at a reload that.

    Its number is there for the other hosts' start gates at the same time; its own is open once all have switched, if
    that is the `newest` that any of them has then.
    """
    running = (one for one in readers if not one.timed)
    actions = {one.unit: one.reloads for one in sorted(running, key=lambda reader: not reader.reloads)}
    owed = [Owe(unit, "reload" if reloads else "restart") for unit, reloads in actions.items()]
    links = [PutLink(CURRENT, f"generations/{number}"), PutLink(ANNOUNCED, str(number))]
    return [Meet(), *links, *owed, Meet(), OPENED if newest else SHUT]


def whole(files: Mapping[str, bytes], number: int, salt: str) -> dict[str, str]:
    """The digests that a host must give of the files, by path."""
    return {f"{GENERATIONS}/{number}/{path}": _salted(salt, content) for path, content in files.items()}


def _salted(salt: str, content: bytes) -> str:
    return hashlib.sha256(salt.encode() + content).hexdigest()
