"""Ansible, in a venv of its own beside ours: its dependencies are not the project's."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.fleet import ITEMS, USER, BenchFleet
from benchmarks.run import Finished, Process
from benchmarks.tools import Tool

LOCK = Path(__file__).with_name("requirements-ansible.lock")
VENV = Path(__file__).parents[1] / ".venv" / "ansible"


class Ansible(Tool):
    """`ansible-playbook` with pipelining, ControlPersist and a fork for each host."""

    name = "ansible"
    applies = True
    most_hosts = 8
    most_runs = 2

    def __init__(self, fleet: BenchFleet) -> None:
        super().__init__(fleet)
        self._sockets = fleet.folder / "ansible-sockets"
        self._program = installed()

    def processes(self) -> Sequence[Process]:
        """The command line. The run before left its connections open, and every tool makes its own."""
        self.close()
        fleet = self._fleet
        inventory = fleet.folder / "ansible_inventory.json"
        hosts = {name: {"ansible_host": address} for name, address in fleet.hosts.items()}
        inventory.write_text(json.dumps({"all": {"hosts": hosts}}))
        command = (self._program, "--inventory", str(inventory), str(ITEMS / "playbook.yml"))
        return [Process(command, fleet.folder, environment=self._settings())]

    def found_all_as_declared(self, finished: Finished) -> bool:
        """Its recap has every host, none changed."""
        recap = re.findall(r"ok=\d+ +changed=(\d+) +unreachable=0 +failed=0", finished.outputs[0])
        return recap == ["0"] * len(self._fleet.hosts)

    def close(self) -> None:
        """Ends the SSH clients that ControlPersist keeps."""
        for socket in self._sockets.glob("*"):
            end = ["ssh", "-F", "/dev/null", "-O", "exit", "-o", f"ControlPath={socket}", "any"]
            subprocess.run(end, capture_output=True, check=False)
        shutil.rmtree(self._sockets, ignore_errors=True)

    def _settings(self) -> dict[str, str]:
        fleet = self._fleet
        pins = f"-o UserKnownHostsFile={fleet.known_hosts} -o StrictHostKeyChecking=yes -o IdentitiesOnly=yes"
        return {
            "HOME": str(fleet.folder),
            "ANSIBLE_FORKS": str(len(fleet.hosts)),
            "ANSIBLE_PIPELINING": "1",
            "ANSIBLE_SSH_ARGS": f"-F /dev/null -o ControlMaster=auto -o ControlPersist=60s {pins}",
            "ANSIBLE_SSH_CONTROL_PATH_DIR": str(self._sockets),
            "ANSIBLE_REMOTE_USER": USER,
            "ANSIBLE_PRIVATE_KEY_FILE": str(fleet.key_file),
            # The automation user's home belongs to root, so that nobody leaves a key there.
            "ANSIBLE_REMOTE_TEMP": "/tmp/.ansible",  # noqa: S108  # on the hosts
            "ANSIBLE_PYTHON_INTERPRETER": "/usr/bin/python3",
            "ANSIBLE_NOCOLOR": "1",
        }


def installed() -> str:
    """The path of ansible-playbook, installed first where the lock is newer than what is there.

    Raises subprocess.CalledProcessError when it cannot be.
    """
    stamp = VENV / "ready"
    if not stamp.exists() or stamp.stat().st_mtime < LOCK.stat().st_mtime:
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(VENV)], check=True)
        install = [str(VENV / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, "--require-hashes", "--requirement", str(LOCK)], check=True)
        stamp.touch()
    return str(VENV / "bin" / "ansible-playbook")
