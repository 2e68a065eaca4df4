"""A rotation of the rows' key that is stopped at a point, and there loses its controller, or a host its power."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, Self

from hostmuster.secrets.generation import IDENTITY
from tests.drills.fernet.encrypted import ACT, FOLDER, GONE_S, MIGRATING, PATIENCE_S, ROWS, WAIT, Encrypted
from tests.lab.backends.backends import HOSTS
from tests.lab.failures.trial import engine_of
from tests.lab.fleet_on_lab import Finished, FleetOnLab

# A migration that stops when it has encrypted half of the rows anew, and has committed none of them.
_HALF: Final = f"""\
import pathlib, runpy, subprocess, sys
from cryptography.fernet import Fernet
encrypt, wait, done = Fernet.encrypt, pathlib.Path("{WAIT}"), []
def by_half(self, data):
    done.append(data)
    while len(done) == {ROWS // 2} and wait.exists() and wait.read_text().strip() == "half-migrate":
        subprocess.run(["sleep", "0.053"])
    return encrypt(self, data)
Fernet.encrypt = by_half
sys.argv = ["/opt/workload", "migrate"]
runpy.run_path("/opt/workload", run_name="__main__")
"""
_HALF_AT: Final = "/opt/rows-by-half.py"
# A service that waits before it starts, while a file says so.
_LATE: Final = f"""\
[Service]
ExecStartPre=/bin/sh -c 'while grep -qsx start {WAIT}; do sleep 0.054; done'
"""
_LATE_AT: Final = "/run/systemd/system/workload.service.d"
_SLEEPS: Final = {"after": "0.052", "half": "0.053", "start": "0.054"}
"""By how a point begins: what sleeps there; 0.051 at any other."""
_LEASED: Final = """\
while IFS=' ' read -r _ _ until && IFS='. ' read -r now _ </proc/uptime && [ "$until" -gt "$now" ]; do
    sleep 0.1
done </run/hostmuster.lease 2>/dev/null; true"""


RECORD: Final = f"cut -d' ' -f2- {FOLDER}/record 2>/dev/null; true"
NOTHING: Final = ""
PUT_BACK: Final = "the rows were put back, and every replica uses the key it had"


@dataclass(frozen=True)
class Stage:
    """A point at which a rotation is cut off, and what is left then.

    `act` waits there, or `step` is one of the transaction. Of an act's transaction 1 is its folder, 2 its keys; of a
    migration 3 `migrating` on record, 4 and 5 the act, 6 `migrated`; of any other 3 and 4 the act, 5 what it reached.
    Of a start 1 is the meeting, 2 and 3 the service, 4 and 5 that nothing is halted any more. `opens`: which of the
    store's keys opens the rows.
    """

    name: str
    act: str
    step: str
    record: str
    opens: Literal["current", "next"]


class Interrupted(Encrypted):
    """The backends and their rows, while a rotation is cut off."""

    def settled(self) -> Self:
        """Nor does a service wait any more."""
        super().settled()
        self.on(MIGRATING, f"rm -rf {_LATE_AT}; systemctl daemon-reload")
        return self

    def reached(self, stage: Stage, clone: FleetOnLab) -> subprocess.Popen[str]:
        """A rotation in that clone, stopped there."""
        if stage.act == "start":
            self.starts_late()
        return self.stopped_at(stage.act, stage.step, clone)

    def stands(self, stage: Stage) -> None:
        """The store has the key of every row; nobody serves before the end, and whoever does then reads all of them."""
        assert self.on(MIGRATING, RECORD) == stage.record
        assert self.opened_by_store() == ((ROWS, 0) if stage.opens == "current" else (0, ROWS))
        if stage.act == "start":
            assert self.served() == {(host, ROWS) for host in HOSTS}
        else:
            self.nobody_serves()

    def nobody_serves(self) -> None:
        """Nor does anybody after a boot."""
        for host in HOSTS:
            serves = "systemctl is-active -q workload || systemctl is-enabled -q workload"
            assert not self.lab.run(host, serves).ok, host

    def is_over(self, clone: Path, before: str, sealed: dict[str, str], *, put_back: bool) -> Finished:
        """Typed again elsewhere, it comes to the one end that is left."""
        done = self.resumed(clone)
        assert done.exit == (1 if put_back else 0), done.output + done.errors
        assert (done.document["stands"] == PUT_BACK) == put_back
        assert (self.stored() == sealed) == put_back
        assert (self.key == before) == put_back
        self.at_rest(self.key)
        assert len({self.on(host, f"cat /var/lib/hostmuster/current/{IDENTITY}") for host in HOSTS}) == 1
        return done

    def evidence(self, clone: FleetOnLab) -> Any:
        """What the one rotation of a clone left."""
        (path,) = (clone.folder / "reports").glob("*/evidence.json")
        return json.loads(path.read_text())

    def stopped_at(self, point: str, then: str = "", fleet: FleetOnLab | None = None) -> subprocess.Popen[str]:
        """A rotation that has come so far: where something waits, or `then` a step after it.

        Without a point: the first time that the step comes.
        """
        self.on(MIGRATING, f"echo {point} >{WAIT}" if point else f"echo {then} >/run/hostmuster-pause")
        run = (fleet or self.fleet).start("secrets.rotate", "ai-key")
        if point:
            self._waits(point)
        if point and then:
            self.on(MIGRATING, f"echo {then} >/run/hostmuster-pause; rm {WAIT}")
        if then:
            self.on(MIGRATING, f"until grep -qs '^{then} ' /run/hostmuster-pause.d; do sleep 0.05; done", PATIENCE_S)
        return run

    def _waits(self, point: str) -> None:
        seconds = _SLEEPS.get(point.partition("-")[0], "0.051")
        self.on(MIGRATING, f"until pgrep -fx 'sleep {seconds}' >/dev/null; do sleep 0.02; done", PATIENCE_S)

    def migrates_by_half(self) -> None:
        """From now on a migration can be stopped within its transaction, too: `half-migrate`."""
        assert self.lab.run(MIGRATING, f"cat >{_HALF_AT}", stdin=_HALF).ok
        self.declare(migrate=["/bin/sh", "-c", ACT.replace("/opt/workload", _HALF_AT), "migrate"])

    def starts_late(self) -> None:
        """Until the next drill the service can be stopped at each start: `start`."""
        script = f"mkdir -p {_LATE_AT} && cat >{_LATE_AT}/late.conf && systemctl daemon-reload"
        assert self.lab.run(MIGRATING, script, stdin=_LATE).ok

    def orphaned(self, run: subprocess.Popen[str]) -> None:
        """kill -9 of the engine, and what it began on hosts has ended."""
        subprocess.run(["kill", "-KILL", str(engine_of(run))], check=True)
        run.communicate(timeout=PATIENCE_S)
        for host in HOSTS:
            # With what says that a step was reached, or the next run is taken to have reached it before it began.
            gone = f"flock -w {GONE_S} /run/hostmuster.lock true; rm -f {WAIT} /run/hostmuster-pause*"
            self.on(host, gone, 2 * GONE_S)

    def unleased(self) -> None:
        """The dead run's leases are over."""
        for host in HOSTS:
            self.on(host, _LEASED)

    def darkened(self, run: subprocess.Popen[str]) -> Finished:
        """Power lost on the host that has the rows in hand: how the run ends, and then the host is back."""
        self.lab.kill(MIGRATING)
        output, errors = run.communicate(timeout=PATIENCE_S)
        self.powered(MIGRATING)
        return Finished(run.returncode, output, errors, json.loads(output) if output.startswith("{") else None)

    def resumed(self, folder: Path) -> Finished:
        """Typed again in another clone, kept off while the dead run has its lease; its store is everybody's then."""
        other = self.fleet.clone(folder)
        done = self.again(other)
        self.pushed(other)
        return done

    def pushed(self, other: FleetOnLab) -> None:
        """What a clone did to the store is everybody's."""
        (self.fleet.folder / self.store).write_bytes((other.folder / self.store).read_bytes())
