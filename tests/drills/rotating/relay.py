"""A rotation that goes from one operator's clone to the next one's, since each is killed at it."""

from __future__ import annotations

import copy
import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.drills.rotating.signers import HOSTS, Signers
from tests.lab.failures.trial import kill_engine
from tests.lab.fleet_on_lab import Finished, FleetOnLab

ROTATE = ("secrets.rotate", "signing", "--through")
STOPS = "server-2"
PATIENCE_S = 120
"""A run comes to where it stops within so many seconds, those included in which a dead one has its lease."""
SLOW = "/run/systemd/system/workload.service.d"
UNTRACKED = "home/\nreports/\n__pycache__/\n*figures.json\n"
NOBODY = ("-c", "user.name=ada", "-c", "user.email=ada@example.net")


@dataclass(frozen=True)
class Cut:
    """Where a run is killed: once it has `said` something, or where one host stops it, by shell commands there.

    `generations`: how many of the rotation's every host has by then. `others`: a shell command that waits, on every
    other host, until that is so there.
    """

    where: str
    generations: int
    said: str = ""
    arrange: str = "true"
    reached: str = "false"
    release: str = "true"
    others: str = "true"


def at(step: str, generations: int) -> Cut:
    """A step of the transaction that brings a generation."""
    pause = "/run/hostmuster-pause"
    arrange = f"rm -f {pause}.d; echo {step} >{pause}"
    # A host that is lost after the last meeting may have either.
    others = "while [ -e /var/lib/hostmuster/change ]; do sleep 0.05; done" if step == "switched" else "true"
    return Cut(step, generations, "", arrange, f"grep -qs '^{step} ' {pause}.d", f"rm -f {pause}", others)


def restarting(generations: int) -> Cut:
    """The second of the services is starting, and the first has."""
    slow = f'[Service]\\nExecStartPre=+/bin/sh -c "while test -e {SLOW}; do sleep 0.1; done"\\n'
    arrange = f"mkdir -p {SLOW} && printf '{slow}' >{SLOW}/slow.conf && systemctl daemon-reload"
    reached = "systemctl is-active workload.service | grep -qx activating"
    return Cut("restarting", generations, "", arrange, reached, f"rm -rf {SLOW} && systemctl daemon-reload")


def after(said: str, generations: int) -> Cut:
    """A step was told, and the next one has hardly begun."""
    return Cut(said, generations, said)


class Relay:
    """The operators' clones so far; the last one's store is the newest."""

    def __init__(self, signers: Signers, folder: Path) -> None:
        self._signers, self._folder = signers, folder
        self.fleets: list[FleetOnLab] = [signers.fleet]

    @property
    def newest(self) -> FleetOnLab:
        """The clone with the store as it is now."""
        return self.fleets[-1]

    def cloned(self) -> FleetOnLab:
        """What the last operator committed, in another folder: no journal, no report, nothing but what git has."""
        _commit(self.newest)
        other = copy.copy(self.newest)
        other.folder = self._folder / f"clone-{len(self.fleets)}"
        other.home = other.folder / "home"
        _git(self._folder, "clone", "-q", str(self.newest.folder), str(other.folder))
        shutil.copytree(self.newest.home, other.home)
        self.fleets.append(other)
        return other

    def killed(self, cut: Cut) -> None:
        """Typed in a fresh clone, and the engine is killed at the cut; what it had begun on hosts ends by itself."""
        fleet = self.cloned()
        self._signers.on(STOPS, cut.arrange)
        try:
            run = self._come_to(cut, fleet)
            for host in {*HOSTS} - {STOPS}:
                self._signers.on(host, cut.others)
            kill_engine(run)
            for host in HOSTS:
                self._signers.on(host, "flock -w 60 /run/hostmuster.lock true", 90)
        finally:
            self._signers.on(STOPS, cut.release)

    def ended(self) -> Finished:
        """Typed in one more clone, which comes to the end."""
        fleet = self.cloned()
        began = time.monotonic()
        while "is at work on it" in (done := fleet.run(*ROTATE)).errors:
            assert time.monotonic() - began < PATIENCE_S
        return done

    def told(self) -> list[dict[str, Any]]:
        """The steps of all runs, in order, by the evidence that lies beside their journals."""
        clones = self.fleets[1:]  # in the project itself lie other runs'
        found = [path for fleet in clones for path in fleet.folder.glob("reports/*/evidence.json")]
        steps = [step for path in found for step in json.loads(path.read_text())["steps"]]
        return sorted(steps, key=lambda step: float(step["at"]))

    def _come_to(self, cut: Cut, fleet: FleetOnLab) -> subprocess.Popen[str]:
        errors = fleet.folder / "home" / "errors"
        began = time.monotonic()
        while True:
            with errors.open("w") as file:
                run = subprocess.Popen(
                    fleet.command(*ROTATE, "--json"),
                    cwd=fleet.folder,
                    env=fleet.environment,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=file,
                    text=True,
                )
            while run.poll() is None:
                if cut.said in errors.read_text() if cut.said else self._signers.lab.run(STOPS, cut.reached).ok:
                    return run
                time.sleep(0.02)
            assert "is at work on it" in errors.read_text(), f"{cut.where}: {errors.read_text()}"
            assert time.monotonic() - began < PATIENCE_S


@contextmanager
def relay(signers: Signers, folder: Path) -> Iterator[Relay]:
    """The project under git meanwhile; at the end its store is that of the last clone, however that came about."""
    project = signers.fleet.folder
    (project / ".gitignore").write_text(UNTRACKED)
    _git(project, "init", "-q")
    here = Relay(signers, folder)
    try:
        yield here
    finally:
        if here.newest is not signers.fleet:
            _commit(here.newest)
            _git(project, "pull", "-q", str(here.newest.folder))
        shutil.rmtree(project / ".git")
        (project / ".gitignore").unlink()


def _commit(fleet: FleetOnLab) -> None:
    _git(fleet.folder, "add", "-A")
    _git(fleet.folder, *NOBODY, "commit", "-q", "--allow-empty", "-m", "as it is")


def _git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)
