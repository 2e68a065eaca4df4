"""hostmuster itself killed in the middle of a drill, at every step: the fault must end by itself, in time (R11)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import gevent

from hostmuster.drills.evidence import Happened, Shown
from hostmuster.drills.faults.fault import Cause, OnHost
from hostmuster.drills.running import STEPS
from hostmuster.drills.scene import Scene
from hostmuster.drills.steady import leftovers, proof
from hostmuster.engine.job import Job
from hostmuster.engine.opening import Opening
from hostmuster.engine.record import Record
from hostmuster.errors import HostFailed
from hostmuster.onhost.program import line

UNDO_S = 10
MARGIN_S = 20.0
"""An undoing takes time, too: a busy host, a service that starts."""
REACHED_S = 120.0
BESIDE = ("armed", "caused", "watched", "undone")
"""The steps at which a fault that is armed beside us may be open."""
ENGINE = (sys.executable, "-P", "-m", "hostmuster.engine")


@dataclass
class Killing:
    """Runs of the same drill, each killed at another step. No lease is held here: they take it."""

    opening: Opening
    record: Record
    scene: Scene

    def at_every_step(self, number: int, cause: Cause) -> Iterator[Happened]:
        """With the fault of that number. Raises HostFailed where a run does not come so far."""
        # Before that a fault on the host is not armed yet: both are one program.
        steps = STEPS[STEPS.index("caused") :] if isinstance(cause, OnHost) else BESIDE
        for step in steps:
            yield self._killed(number, cause, step)

    def _killed(self, number: int, cause: Cause, step: str) -> Happened:
        target = self.scene.ground.target.name
        job = self.opening.job.model_copy(
            update={"drill": "runner-killed", "command": "drill", "fault": number, "pause": step, "undo_s": UNDO_S}
        )
        killed = kill_at(job)
        self.record.phase(target, "drill", f"runner-killed: killed at {step}, while {cause.says}")
        happened = Happened(
            what=f"hostmuster killed at `{step}`, {cause.says}",
            at=round(killed, 3),
            undoing=f"as that run armed it, with {UNDO_S} s",
        )
        end = killed + UNDO_S + MARGIN_S
        while not (rests := self._rests()) and time.time() < end:
            gevent.sleep(0.25)
        happened.undone = round(time.time(), 3)
        took = f"{happened.undone - killed:.1f} s after the kill"
        seen = f"at rest {took}" if rests else f"not at rest {took}"
        happened.seen.append(Shown(name="the fault is over by itself", ok=rests, seen=seen))
        visit = self.scene.visits[target]
        found = proof(self.opening, [visit], self.record)[target]
        if not found.failed:
            happened.back_s = round(time.time() - killed, 3)
        else:
            why = "; ".join(f"{item}: {said}" for item, said in found.failed.items())
            happened.seen.append(Shown(name="the target is whole again", ok=False, seen=why))
        return happened

    def _rests(self) -> bool:
        """Whether nothing is left on the target, which can be reached."""
        visit = self.scene.visits[self.scene.ground.target.name]
        (left,) = leftovers([visit])
        if not left.ok:
            visit.hold.connection.close()
        return bool(left.ok)

    def let_go(self) -> None:
        """The leases of the runs that were killed: nobody waits for them."""
        for visit in self.scene.visits.values():
            visit.hold.run(line("unlease"))


def kill_at(job: Job) -> float:
    """Runs the job until it says that it waits at its step, and kills it there. When that was.

    Raises HostFailed where it never says so.
    """
    password = {"sudo_password": job.sudo_password.get_secret_value()} if job.sudo_password else {}
    given = json.dumps({**job.model_dump(mode="json", exclude={"sudo_password"}, exclude_none=True), **password})
    process = subprocess.Popen(ENGINE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, process_group=0)
    assert process.stdin is not None  # noqa: S101 - started with pipes
    assert process.stdout is not None  # noqa: S101
    process.stdin.write(given)
    process.stdin.close()
    said = ""
    try:
        with suppress(gevent.Timeout), gevent.Timeout(REACHED_S):
            for said in process.stdout:
                if '"phase": "paused"' in said:
                    return time.time()
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    raise HostFailed(f"a run that was to be killed at `{job.pause}` did not come there: {said.strip()[-300:]}")
