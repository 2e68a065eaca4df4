"""A drill under way: its faults one after the other, each armed, caused, watched, taken back, and seen to be over."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import gevent

from hostmuster.drills.arming import Armed, arm
from hostmuster.drills.drill import Drill, Expectation
from hostmuster.drills.evidence import SERVES, Happened, Shown
from hostmuster.drills.faults.fault import Cause
from hostmuster.drills.scene import Scene
from hostmuster.drills.steady import proof
from hostmuster.engine.opening import Opening
from hostmuster.engine.record import Record
from hostmuster.errors import HostmusterError
from hostmuster.item import Seen
from hostmuster.model.drilling import Tier

LOOK_S = 0.25
STEPS = ("looked", "armed", "caused", "watched", "undone", "returned", "proved")
"""Where a run can be stopped to be killed, in order."""


@dataclass
class Running:
    """One drill on one target. `at` is told each step, and may never come back from it."""

    opening: Opening
    record: Record
    drill: Drill
    scene: Scene
    at: Callable[[str], None] = field(repr=False)

    @property
    def _tier(self) -> Tier:
        found: Tier = getattr(self.scene.ground.drilling.targets, self.drill.tier)
        return found

    @property
    def _lasts_s(self) -> float:
        """The longest that a fault may have to last until all is seen that is looked for."""
        return max(self.scene.ground.drilling.watch_s, *(one.within_s for one in self.drill.during), 0.0)

    def cause(self, cause: Cause) -> Happened:
        """One fault from its arming to its end. Raises HostFailed, the fault taken back all the same."""
        name = self.scene.ground.target.name
        visit = self.scene.visits[name]
        lasts = self._tier.back_s if cause.heals else self._lasts_s
        undo_s = self.opening.job.undo_s or round(lasts) + self.scene.ground.drilling.undo_s
        before = self._process(cause.heals) if cause.heals else ""
        armed = arm(cause, visit, self.drill.name, undo_s, lambda: self.at("armed"))
        happened = Happened(what=cause.says, at=round(time.time(), 3), undoing=armed.undoing)
        if cause.silences:
            # Its lease is not renewed while nobody reaches it.
            visit.hold.lose()
        self._caused(cause, armed, happened, before)
        if cause.silences:
            visit.hold.connection.close()
        self._returned(happened)
        self.at("returned")
        happened.seen += self._expected(self.drill.after, 0.0)
        return happened

    def _caused(self, cause: Cause, armed: Armed, happened: Happened, before: str) -> None:
        try:
            armed.cause()
            self.at("caused")
            if cause.heals:
                happened.seen.append(self._healed(cause.heals, before))
            least_s = 0.0 if cause.heals else self.scene.ground.drilling.watch_s
            happened.seen += self._expected(self.drill.during, least_s)
            self.at("watched")
        finally:
            armed.take_back()
            happened.undone = round(time.time(), 3)
            self.at("undone")

    def _expected(self, expected: Sequence[Expectation], least_s: float) -> list[Shown]:
        """Each until it is seen or its time is up; least_s in all, unless nobody at all is served for too long."""
        began = time.monotonic()
        seen: dict[str, Seen] = {}
        down_since: float | None = None
        while True:
            passed = time.monotonic() - began
            for one in expected:
                if one.name not in seen or (seen[one.name].ok is False and passed < one.within_s):
                    seen[one.name] = self._look(one)
            waits = any(seen[one.name].ok is False and passed < one.within_s for one in expected)
            down_since = (down_since or time.monotonic()) if self._nobody_serves() else None
            stops = down_since is not None and time.monotonic() - down_since > self._tier.outage_s
            if stops or (passed >= least_s and not waits):
                break
            gevent.sleep(LOOK_S)
        shown = [Shown(name=name, ok=one.ok, seen=one.seen) for name, one in seen.items()]
        if stops:
            why = f"no server was ready for over {self._tier.outage_s:g} s, so the fault was taken back at once"
            shown.append(Shown(name=SERVES, ok=False, seen=why))
        return shown

    def _look(self, one: Expectation) -> Seen:
        try:
            return one.look(self.scene)
        except HostmusterError as error:
            return Seen(False, str(error))

    def _nobody_serves(self) -> bool:
        now = self.scene.now
        return now is not None and bool(now.ready) and not any(now.ready.values())

    def _healed(self, unit: str, before: str) -> Shown:
        """Whether its supervisor brought it back by itself, in the time that was promised."""
        name, target = f"{unit} comes back by itself", self.scene.ground.target.name
        began = time.monotonic()
        since = 0.0
        while (passed := time.monotonic() - began) < self._tier.back_s:
            process = self._process(unit)
            if process not in ("", "0", before):
                since = since or time.time()
                now = self.scene.now
                if now is None or target not in now.ready or (now.at > since + LOOK_S and now.ready[target]):
                    return Shown(name=name, ok=True, seen=f"ready after {passed:.1f} s")
            gevent.sleep(LOOK_S)
        return Shown(name=name, ok=False, seen=f"it is not ready after {self._tier.back_s:g} s")

    def _process(self, unit: str) -> str:
        """Its main process, where it is active."""
        ask = 'systemctl is-active --quiet "$1" && systemctl show -p MainPID --value "$1"'
        try:
            return self.scene.ask(self.scene.ground.target.name, "sh", "-c", ask, "sh", unit).output.strip()
        except HostmusterError:
            return ""

    def _returned(self, happened: Happened) -> None:
        """Until every line of the target holds again; what it cost is counted from the fault on."""
        visit = self.scene.visits[self.scene.ground.target.name]
        end = time.monotonic() + self._tier.back_s
        while True:
            found = proof(self.opening, [visit], self.record)[visit.host.name]
            if not found.failed:
                happened.back_s = round(time.time() - happened.at, 3)
                return
            if time.monotonic() > end:
                why = "; ".join(f"{item}: {said}" for item, said in found.failed.items())
                happened.seen.append(Shown(name=f"{visit.host.name} is whole again", ok=False, seen=why))
                return
            visit.hold.connection.close()
            gevent.sleep(LOOK_S)
