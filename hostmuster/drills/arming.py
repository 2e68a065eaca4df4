"""A fault with its undoing armed first: on the target by its own transaction, or in a process beside us."""

from __future__ import annotations

import secrets
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

import gevent

from hostmuster.drills.faults.fault import Beside, Cause, OnHost
from hostmuster.engine.visit import Visit
from hostmuster.errors import HostFailed, HostmusterError
from hostmuster.onhost.answers import State
from hostmuster.onhost.program import change, line
from hostmuster.resources.step import Arm

COMMAND_S = 120.0
AGAIN_S = 1.0
AFTER_S = 30.0
"""So long after its timer an armed undoing may still be at work."""


class Armed(Protocol):
    """A fault that is about to be caused, and what takes it back."""

    undoing: str

    def cause(self) -> None:
        """Raises HostFailed where it did not come about."""

    def take_back(self) -> None:
        """Now, instead of when its time is up. Raises HostFailed where it cannot be."""


class ArmedOnHost:
    """The transaction arms itself before its first step, so that this is one program."""

    def __init__(self, cause: OnHost, visit: Visit, drill: str, undo_s: int) -> None:
        self._cause, self._visit, self._drill, self._undo_s = cause, visit, drill, undo_s
        self._began = 0.0
        self.undoing = f"on {visit.host.name}'s disk, with a timer of {undo_s} s and a unit of its next boot"

    def cause(self) -> None:
        """The steps, never confirmed."""
        hold = self._visit.hold
        state = State.parse(hold.run(line("state", "state"))["state"].output)
        hold.raise_refusal()
        holds = [hold.lease.holds(state.revision)] if hold.lease else []
        steps = (Arm(), *self._cause.steps)
        sent = change(f"drill-{self._drill}", secrets.token_hex(4), steps, arm_s=self._undo_s)
        self._began = time.monotonic()
        answers = hold.run(*holds, sent)
        hold.raise_refusal()
        if answers["change"].status != 0:
            raise HostFailed(f"the fault was not caused: {answers['change'].output}", where=self._visit.host.name)

    def take_back(self) -> None:
        """Asked until the host says so, or its own timer and some time more have passed."""
        until = self._began + self._undo_s + AFTER_S
        while True:
            try:
                self._ask()
                return
            except HostmusterError:
                if time.monotonic() > until:
                    raise
            self._visit.hold.connection.close()
            gevent.sleep(AGAIN_S)

    def _ask(self) -> None:
        answers = self._visit.hold.run("take_back")
        self._visit.hold.raise_refusal()
        settled = answers.get("settled")
        if settled is not None and settled.status != 0:
            raise HostFailed(settled.output, where=self._visit.host.name)


class ArmedBeside:
    """A watchdog of a session of its own has the undoing; it acts when its time is up, or we are gone."""

    def __init__(self, cause: Beside, host: str, undo_s: int) -> None:
        self._cause, self._host = cause, host
        self.undoing = f"in a process beside us, for {undo_s} s, or until we are gone"
        command = (sys.executable, "-P", "-m", "hostmuster.drills.watchdog", str(undo_s), *cause.undo)
        self._watchdog = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._watchdog.stdout is not None  # noqa: S101 - started with a pipe
        if self._watchdog.stdout.readline() != "armed\n":
            raise HostFailed("its undoing could not be armed; nothing was done", where=host)

    def cause(self) -> None:
        """The command."""
        self._run(self._cause.cause, "the fault was not caused")

    def take_back(self) -> None:
        """The other command; then the watchdog has nothing to do any more."""
        self._run(self._cause.undo, "the fault cannot be taken back")
        assert self._watchdog.stdin is not None  # noqa: S101 - started with a pipe
        # One whose time was up before has done the same, and hears nobody any more.
        with suppress(OSError):
            self._watchdog.stdin.write("done\n")
            self._watchdog.stdin.flush()
        with suppress(OSError):
            self._watchdog.stdin.close()
        self._watchdog.wait()

    def _run(self, command: tuple[str, ...], what: str) -> None:
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=COMMAND_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise HostFailed(f"{what}: {type(error).__name__} of {command[0]}", where=self._host) from error
        if done.returncode != 0:
            said = (done.stderr or done.stdout).strip()[-500:]
            raise HostFailed(f"{what}: {said or f'exit code {done.returncode}'}", where=self._host)


def arm(cause: Cause, visit: Visit, drill: str, undo_s: int, armed: Callable[[], None]) -> Armed:
    """Arms what is armed apart from the fault. `armed` is called once nothing stands between them."""
    made: Armed
    if isinstance(cause, OnHost):
        made = ArmedOnHost(cause, visit, drill, undo_s)
    else:
        made = ArmedBeside(cause, visit.host.name, undo_s)
    armed()
    return made
