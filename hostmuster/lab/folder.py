"""The lab's folders: what is kept of one lab, and what all labs of the machine share."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from hostmuster.errors import Refused
from hostmuster.lab.machine import Machine

STATE = Path("/var/lib/hostmuster-lab")
CACHE = Path("/var/cache/hostmuster")
NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")


class Record(BaseModel):
    """lab.json: which /24 the lab owns, its hosts, and where their host keys are pinned."""

    # Lenient on purpose: a lab made by another version must still be seen, and taken down.
    model_config = ConfigDict(extra="ignore", frozen=True)

    slot: int
    machines: tuple[Machine, ...] = ()
    disk_bytes: int = 0
    known_hosts: str | None = None


@dataclass(frozen=True)
class LabFolder:
    """/var/lib/hostmuster-lab/NAME. Refused for a name that is none."""

    name: str

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise Refused(
                f"{self.name!r} is no name for a lab",
                where="lab",
                remedy="take lower-case letters, digits and hyphens, a letter first, 40 characters at most",
            )

    @property
    def root(self) -> Path:
        """Where all of this lab lies."""
        return STATE / self.name

    def host(self, name: str) -> Path:
        """The folder of one host: its disk image, what a fresh disk gets, and its console's log."""
        return self.root / "hosts" / name

    @property
    def key(self) -> Path:
        """The private key that may log in as root on every bare host of this lab (mode 0600)."""
        return self.root / "root_key"

    def read(self) -> Record | None:
        """What is known of the lab, or None where there is none."""
        file = self.root / "lab.json"
        return Record.model_validate_json(file.read_text()) if file.is_file() else None

    def write(self, record: Record) -> None:
        """Replace lab.json in one step, so that a killed lab never leaves half of it."""
        document = record.model_dump() | {"machines": [asdict(m) for m in record.machines]}
        self.root.mkdir(mode=0o711, parents=True, exist_ok=True)
        write_atomically(self.root / "lab.json", json.dumps(document, indent=1) + "\n", mode=0o644)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lab: two commands at once on one lab wait for each other."""
        with lock(f"lab-{self.name}"):
            yield

    def remove(self) -> None:
        """Take the folder away. lab.json goes last: while anything is left, the lab is still known."""
        for entry in sorted(self.root.glob("*"), key=lambda p: p.name == "lab.json"):
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        if self.root.is_dir():
            self.root.rmdir()


def all_labs() -> tuple[str, ...]:
    """The names of all labs this machine has, up or half made."""
    return tuple(sorted(p.name for p in STATE.glob("*") if p.is_dir() and NAME.fullmatch(p.name)))


def write_atomically(file: Path, text: str, mode: int = 0o600) -> None:
    """Write beside the file and rename over it."""
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w") as sink:
        sink.write(text)
    beside.replace(file)


@contextmanager
def lock(name: str) -> Iterator[None]:
    """Hold one of the machine's locks for the lab; the kernel lets go of it when we die (flock(2))."""
    folder = STATE / ".locks"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (folder / name).open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
