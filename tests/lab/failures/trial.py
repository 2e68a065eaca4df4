"""Hosts under trial: a small checklist on a lab, runs that are stopped at a named step, and what is left there then."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hostmuster.lab.lab import Lab
from hostmuster.lab.machine import Machine
from hostmuster.lab.subnet import Subnet
from tests.lab.fleet_on_lab import Finished, FleetOnLab, machines_of

BOOKWORM, TRIXIE, THIRD = "server-1", "worker-1", "worker-2"
HOSTS = (BOOKWORM, TRIXIE, THIRD)
CONFIRM_S = 5
LEASE_S = 2
DEPLOYS = Path(__file__).parent / "deploys"


def machines(net: Subnet) -> list[Machine]:
    """Both Debian releases, and a third host for a third fate."""
    return [
        Machine(BOOKWORM, net.at(11), 12, ("server",)),
        Machine(TRIXIE, net.at(12), 13, ("worker",)),
        Machine(THIRD, net.at(13), 12, ("worker",)),
    ]


class TrialFleet(FleetOnLab):
    """A project whose checklist is the trials' own."""

    def __init__(self, folder: Path, name: str) -> None:
        super().__init__(folder, name)
        (folder / "deploys").unlink()
        shutil.copytree(DEPLOYS, folder / "deploys", ignore=shutil.ignore_patterns("__pycache__"))
        self.extra = {"confirm_s": CONFIRM_S, "lease_s": LEASE_S}

    def clone(self, folder: Path) -> TrialFleet:
        """Another operator's clone, without this one's journals."""
        shutil.rmtree(folder, ignore_errors=True)
        other = type(self)(folder, self.name)
        for part in ("inventory", "secrets", "home"):
            shutil.copytree(self.folder / part, folder / part, dirs_exist_ok=True)
        other.extra, other.settings, other.host_settings = self.extra, self.settings, self.host_settings
        return other


class Stoppable:
    """Hosts of a lab whose scripts can be stopped at a named step, and what is left there then."""

    lab: Lab

    def on(self, host: str, command: str, timeout_s: float = 60) -> str:
        """What a shell command says there, without network or sshd."""
        done = self.lab.run(host, command, timeout_s=timeout_s)
        assert done.ok, f"{host}: {command}: {done.stderr or done.stdout}"
        return done.stdout.strip()

    def pause(self, *steps: str, hosts: Iterable[str] = HOSTS) -> None:
        """From now on a script stops at each of these steps of a transaction."""
        for host in hosts:
            self.on(host, f"rm -f /run/hostmuster-pause.d; echo {' '.join(steps)} > /run/hostmuster-pause")

    def go_on(self, hosts: Iterable[str] = HOSTS) -> None:
        """Nothing stops any more."""
        for host in hosts:
            if self.lab.hosts[host].state != "off":
                self.on(host, "rm -f /run/hostmuster-pause")

    def paused(self, host: str, step: str, timeout_s: float = 60) -> int:
        """The process, as the host numbers it, of the script that stopped at this step."""
        at = f"grep -s '^{step} ' /run/hostmuster-pause.d"
        return int(self.on(host, f"until {at}; do sleep 0.05; done", timeout_s).split()[1])

    def is_free(self, host: str) -> bool:
        """Whether nobody has the host's lock."""
        return self.lab.run(host, "flock -n /run/hostmuster.lock true").ok

    def leftovers(self, host: str) -> list[str]:
        """What a transaction makes and must not leave: temp files, its record, units and timers, the pause."""
        find = "find / -xdev ( -path /proc -o -path /sys ) -prune -o ( -name .hostmuster.* -o -name .new ) -print"
        script = f"""set -f; {find.replace("(", "'('").replace(")", "')'")}
        ls -d /var/lib/hostmuster/change /var/lib/hostmuster/closed /var/lib/hostmuster/script 2>/dev/null
        set +f; ls -d /etc/systemd/system/*hostmuster* /etc/systemd/system/*.wants/*hostmuster* 2>/dev/null
        systemctl list-units --all --plain --no-legend 'hostmuster-revert*'
        systemctl list-timers --all --no-legend | grep hostmuster
        ls /var/lib/hostmuster/owed /run/hostmuster.said /run/hostmuster.lease 2>/dev/null | grep -v :$ ; true"""
        # The start gate's units are no transaction's.
        return [line for line in self.on(host, script).splitlines() if line.strip() and "hostmuster-gate" not in line]


class Trial(Stoppable):
    """A lab, its fleet, and what the fleet file says now."""

    def __init__(self, fleet: TrialFleet, lab: Lab) -> None:
        self.fleet = fleet
        self.lab = lab

    def want(self, **settings: dict[str, Any]) -> None:
        """The items' settings from now on; those not given keep theirs."""
        self.fleet.settings = {**self.fleet.settings, **settings}
        self.fleet.declare(machines_of(self.lab))

    def apply(self, *words: str) -> Finished:
        """An apply to its end."""
        return self.fleet.run("apply", *words)

    def start(self, *words: str, fleet: FleetOnLab | None = None) -> subprocess.Popen[str]:
        """A command under way; `ended` waits for it."""
        return (fleet or self.fleet).start(*words)

    def at_rest(self) -> tuple[str, int] | None:
        """The text and the number of all hosts, where they are alike and whole and owe nothing."""
        look = (
            "cat /etc/trial.conf /etc/trial-armed.conf; uniq -c /srv/trial/read; readlink /srv/trial/link; "
            "ls /var/lib/hostmuster/owed; ls -d /var/lib/hostmuster/change 2>/dev/null; cat /run/trial.seen"
        )
        said = {self.lab.run(host, look).stdout for host in HOSTS}
        text, number, read, link, *more = (said.pop() + "\n\n\n").splitlines()
        whole = more[0] == text and read.split() == ["20000", text] and link == text and number.isdigit()
        return (text, int(number)) if whole and not said else None


def texts(trial: Trial) -> list[str]:
    """What the hosts have of the item `plain`."""
    return [trial.on(host, "cat /etc/trial.conf") for host in HOSTS]


def ended(process: subprocess.Popen[str], timeout_s: float = 60) -> Finished:
    """A command that `start` began, once it is over."""
    output, errors = process.communicate(timeout=timeout_s)
    document = json.loads(output) if output.startswith("{") else None
    return Finished(process.returncode, output, errors, document)


def engine_of(process: subprocess.Popen[str]) -> int:
    """The engine that a command runs, by its process id on this machine."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        for child in children:
            if b"hostmuster.engine" in Path(f"/proc/{child}/cmdline").read_bytes():
                return int(child)
        time.sleep(0.02)
    raise AssertionError("the command runs no engine")


def kill_engine(process: subprocess.Popen[str]) -> Finished:
    """kill -9 of the engine; the command then says so."""
    os.kill(engine_of(process), signal.SIGKILL)
    return ended(process)
