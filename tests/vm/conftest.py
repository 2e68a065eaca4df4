"""A virtual machine with Debian's own kernel, and a project whose one host it is; booted once for all tests here."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from hostmuster.lab import wreck
from hostmuster.lab.machine import Machine
from hostmuster.lab.vm.machine import ADDRESS, VirtualMachine
from tests.lab.fleet_on_lab import Finished, FleetOnLab

HOST = "vm-1"


@dataclass(frozen=True)
class Site:
    """The fleet of one virtual machine."""

    fleet: FleetOnLab
    vm: VirtualMachine

    def shell(self, command: str) -> str:
        """Root's shell there; it has to succeed."""
        done = self.vm.run(command)
        assert done.ok, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout

    def run(self, *words: str) -> Finished:
        """A command of hostmuster, as an operator types it for a fleet that is no lab."""
        return self.fleet.run(*words, "--yes")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Booted, with the automation user, nothing applied."""
    name = f"test-{os.getpid()}-vm"
    fleet = FleetOnLab(tmp_path_factory.mktemp("vm") / "project", name)
    fleet.own_checklist("env_files", "apparmor")
    try:
        vm = VirtualMachine.make(HOST, name, fleet.known_hosts, print)
        # Root's login of the first contact is the operator's own key.
        (fleet.home / ".ssh").mkdir(mode=0o700)
        shutil.copy(vm.root_key, fleet.home / ".ssh" / "id_ed25519")
        host = {"address": ADDRESS, "port": vm.port, "debian": 12, "roles": ["worker"]}
        fleet.extra = {"lab": False, "hosts": {HOST: host}}
        fleet.declare([Machine(HOST, ADDRESS, 12, ("worker",))])
        vm.boot()
        here = Site(fleet, vm)
        for words in (["secrets.init"], ["bootstrap", "--yes"]):
            done = fleet.hostmuster(*words)
            assert done.exit == 0, f"{words}: {done.output}{done.errors}"
        yield here
    finally:
        wreck.clear(name)
