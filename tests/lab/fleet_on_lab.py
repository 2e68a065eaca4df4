"""A project of its own for a lab: a fleet file, a store, pinned keys; and the real command line run on it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from hostmuster.lab.lab import Lab
from hostmuster.lab.machine import Machine

REPOSITORY = Path(__file__).parents[2]


@dataclass(frozen=True)
class Finished:
    """A command that ended: its exit code, what it wrote, and the document where it was asked for one."""

    exit: int
    output: str
    errors: str
    document: Any = field(repr=False)

    def item(self, host: str, item: str) -> Any:
        """An item's part of the document."""
        return self.document["hosts"][host]["items"][item]

    def statuses(self, host: str) -> dict[str, str]:
        """Item to status."""
        return {name: part["status"] for name, part in self.document["hosts"][host]["items"].items()}


class FleetOnLab:
    """`folder` becomes a project with this repository's checklist and templates; its fleet is named as the lab."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder
        self.name = name
        self.home = folder / "home"
        self.home.mkdir(parents=True, exist_ok=True)
        self.known_hosts = folder / "inventory" / "known_hosts" / name
        self.known_hosts.parent.mkdir(parents=True, exist_ok=True)
        self.extra: dict[str, Any] = {}
        self.settings: dict[str, Any] = {}
        self.host_settings: dict[str, dict[str, Any]] = {}
        for shared in ("deploys", "templates"):
            (folder / shared).symlink_to(REPOSITORY / shared)

    def own_checklist(self, *items: str) -> None:
        """The project's checklist is these of the repository's items, in this order."""
        deploys = self.folder / "deploys"
        if deploys.is_symlink():
            deploys.unlink()
        else:
            shutil.rmtree(deploys)
        deploys.mkdir()
        shutil.copy(REPOSITORY / "deploys" / "__init__.py", deploys)
        (deploys / "items").symlink_to(REPOSITORY / "deploys" / "items")
        listed = "".join(f"{item}, " for item in items)
        text = f'"""For tests."""\n\nfrom deploys.items import {", ".join(items)}\n\nCHECKLIST = ({listed})\n'
        (deploys / "checklist.py").write_text(text)

    def declare(self, machines: Iterable[Machine]) -> None:
        """Writes the fleet file for these machines, with `settings`, `host_settings` and `extra` as they are now.

        With the repository's checklist the clocks follow the lab's bridge, unless `settings` say something else.
        """
        listed = list(machines)
        hosts = {
            m.name: {
                "address": m.address,
                "debian": m.debian,
                "roles": list(m.roles),
                "settings": self.host_settings.get(m.name, {}),
            }
            for m in listed
        }
        roles: Mapping[str, Any] = {role: {} for m in listed for role in m.roles}
        bridge = f"{listed[0].address.rpartition('.')[0]}.1"
        clock = (
            {} if self._has_own_checklist else {"clock": {"servers": [bridge], "minpoll": 0, "maxpoll": 2, "steps": 0}}
        )
        body = {"fleet": self.name, "lab": True, "settings": clock | self.settings, "roles": roles, "hosts": hosts}
        text = yaml.safe_dump(body | self.extra, sort_keys=False)
        (self.folder / "inventory" / f"{self.name}.yml").write_text(text)

    @property
    def _has_own_checklist(self) -> bool:
        return not (self.folder / "deploys").is_symlink()

    def hostmuster(self, *words: str, stdin: str = "", timeout_s: float = 600) -> Finished:
        """Runs the console script in the project, as an operator does (in a home of its own)."""
        done = subprocess.run(
            self.command(*words),
            cwd=self.folder,
            env=self.environment,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        document = json.loads(done.stdout) if "--json" in words and done.stdout.startswith("{") else None
        return Finished(done.returncode, done.stdout, done.stderr, document)

    def start(self, *words: str) -> subprocess.Popen[str]:
        """The same command under way, with its document to come on standard output."""
        return subprocess.Popen(
            self.command(*words, "--json"),
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str, stdin: str = "") -> Finished:
        """The same with --json: the document is what a test reads."""
        return self.hostmuster(*words, "--json", stdin=stdin)

    def command(self, *words: str) -> list[str]:
        """The command line, for a test that starts and kills it by itself."""
        return [str(Path(sys.executable).with_name("hostmuster")), *words, "--fleet", self.name]

    @property
    def environment(self) -> dict[str, str]:
        """The operator's environment: a home of its own, so that no key of the machine's user is found or made."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        return {**kept, "HOME": str(self.home)}

    def clone(self, folder: Path) -> FleetOnLab:
        """Another operator's clone of the project: same fleet file, store, pins and age identity, nothing else."""
        other = type(self)(folder, self.name)
        for part in ("inventory", "secrets", "home"):
            shutil.copytree(self.folder / part, folder / part, dirs_exist_ok=True)
        other.extra, other.settings, other.host_settings = self.extra, self.settings, self.host_settings
        return other


def roles_used(roles: Mapping[str, Any], machines: Iterable[Machine]) -> dict[str, Any]:
    """Those of a fleet file's roles that these machines have: a role without a host is a mistake there."""
    used = {role for machine in machines for role in machine.roles}
    return {role: body for role, body in roles.items() if role in used}


def machines_of(lab: Lab) -> list[Machine]:
    """The lab's machines, in order."""
    return [host.machine for host in lab.hosts.values()]
