"""Two bare hosts, Debian 12 and 13, and a project whose checklist is the access item alone."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from hostmuster.lab.lab import Lab
from hostmuster.secrets.recipients import Identities
from hostmuster.secrets.sshkeys import fingerprint
from hostmuster.secrets.store import Store
from tests.lab.fleet_on_lab import Finished, FleetOnLab, machines_of
from tests.lab.pair import HOSTS, two_hosts


@dataclass(frozen=True)
class Key:
    """A person's key pair on this machine."""

    path: Path
    public: str

    @classmethod
    def make(cls, path: Path) -> Key:
        """By ssh-keygen, as a person does."""
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
        return cls(path, path.with_name(f"{path.name}.pub").read_text().strip())

    @property
    def fingerprint(self) -> str:
        """As ssh-keygen -l shows it."""
        return fingerprint(self.public)


@dataclass
class AccessFleet:
    """The project and its lab. `access`: the item's settings, written into the fleet file by each command."""

    project: FleetOnLab
    lab: Lab
    access: dict[str, Any] = field(default_factory=dict)
    names: tuple[str, ...] = HOSTS

    def run(self, *words: str) -> Finished:
        """A command with the settings as they are now; its document."""
        self.project.settings = {"access": self.access}
        self.project.declare([machine for machine in machines_of(self.lab) if machine.name in self.names])
        return self.project.run(*words)

    def apply(self) -> None:
        """An apply that must succeed."""
        done = self.run("apply")
        assert done.exit == 0, done.errors

    def set_key(self, name: str, key: Key) -> None:
        """Puts a public key into the store."""
        done = self.project.hostmuster("secrets.set", name, stdin=key.public)
        assert done.exit == 0, done.errors

    def login(self, user: str, host: str, key: Path, *command: str, options: tuple[str, ...] = ()) -> bool:
        """Whether a person gets in with a key, by the ssh client, host key pinned."""
        return subprocess.run(self.ssh(user, host, key, *command, options=options), check=False).returncode == 0

    def ssh(self, user: str, host: str, key: Path, *command: str, options: tuple[str, ...] = ()) -> list[str]:
        """The command line."""
        pins = self.project.known_hosts
        fixed = ["-F", "/dev/null", "-i", str(key), "-o", "IdentitiesOnly=yes", "-o", "BatchMode=yes"]
        fixed += ["-o", f"UserKnownHostsFile={pins}", "-o", "LogLevel=ERROR", *options]
        address = self.lab.hosts[host].machine.address
        return ["ssh", *fixed, f"{user}@{address}", *(command or ("true",))]

    def on(self, host: str, command: str) -> str:
        """What root's shell on the host says; it must succeed."""
        done = self.lab.run(host, command)
        assert done.ok, done.stderr
        return done.stdout

    def as_service(self, host: str, command: str) -> tuple[int, str]:
        """Status and whole output of the service user's shell on a host."""
        done = self.lab.run(host, f"runuser -u service -- {command} 2>&1")
        return done.status, done.stdout.strip()

    @property
    def store(self) -> Store:
        """The store, opened by the operator's own identity."""
        path = self.project.folder / "secrets" / f"{self.project.name}.yml"
        return Store.read(path, Identities.of_operator(self.project.environment, self.project.home))

    def effects(self, done: Finished, host: str) -> Mapping[str, tuple[bool | None, str]]:
        """The item's effects: name to ok and what was seen."""
        return {one["name"]: (one["ok"], one["seen"]) for one in done.item(host, "access")["effects"]}


@pytest.fixture(scope="package")
def access_lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AccessFleet]:
    """The lab of these tests, once for a pytest process."""
    name = f"test-{os.getpid()}-access"
    project = FleetOnLab(tmp_path_factory.mktemp("access") / "project", name)
    project.own_checklist("access")
    with Lab.up(two_hosts, name=name, known_hosts=project.known_hosts) as lab:
        yield AccessFleet(project, lab)


@pytest.fixture
def bare(access_lab: AccessFleet) -> AccessFleet:
    """Hosts that know the automation user and nothing else of ours; a store with the CA and the automation key."""
    fleet = access_lab
    fleet.access, fleet.names, fleet.project.extra = {}, HOSTS, {"confirm_s": 10}
    for host in fleet.lab.hosts.values():
        fleet.lab.heal(host.machine.name)
    fleet.lab.reset()
    shutil.rmtree(fleet.project.folder / "secrets", ignore_errors=True)
    fleet.project.declare(machines_of(fleet.lab))
    assert fleet.project.hostmuster("secrets.init").exit == 0
    done = fleet.run("bootstrap")
    assert done.exit == 0, done.errors
    return fleet


@pytest.fixture
def alice(bare: AccessFleet, tmp_path: Path) -> Key:
    """An operator who is declared, with her key in the store, and has not logged in anywhere yet."""
    key = Key.make(tmp_path / "alice")
    bare.set_key("operator/alice", key)
    bare.access = {"operators": {"alice": {"keys": ["operator/alice"]}}}
    return key
