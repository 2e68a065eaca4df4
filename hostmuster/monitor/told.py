"""What a host's monitor tells of it: status.json, as the script writes it (telling.sh)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError


def late_s(interval_s: int) -> int:
    """Seconds after which a run is overdue: three intervals, and what asking silent neighbours may take."""
    return 3 * interval_s + 45


class Check(BaseModel):
    """One check. `told`: an alert for it went out, and none yet that it is over. `quiet`: why none goes out."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    status: Literal["ok", "failed", "not_run"]
    told: bool
    since: int
    quiet: str | None
    seen: str


class Told(BaseModel):
    """The whole file. `at` and `since`: seconds since 1970 by the host's own clock."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: Literal[1]
    fleet: str
    host: str
    at: int
    run: int
    interval_s: int
    frozen: bool
    alerts_waiting: int
    checks: tuple[Check, ...]


@dataclass(frozen=True)
class OwnChecks:
    """How a host's own checks stand: how old they are by its own clock, how many hold, what the others saw."""

    age_s: int
    late: bool
    ok: int
    not_run: int
    failed: dict[str, str]

    @classmethod
    def parse(cls, answer: str) -> OwnChecks | None:
        """From the host's time (date +%s) and its status.json below; None where it has none that we know."""
        now, _, body = answer.partition("\n")
        try:
            told = Told.model_validate_json(body)
        except ValidationError:
            return None
        age = int(now) - told.at
        count = [check.status for check in told.checks].count
        failed = {check.name: check.seen for check in told.checks if check.status == "failed"}
        return cls(age, age > late_s(told.interval_s), count("ok"), count("not_run"), failed)
