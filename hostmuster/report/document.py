"""The document that `report --json` gives and the page is made from: what a run saw, as typed values."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Status = Literal["ok", "changed", "differs", "failed", "skipped", "not_run"]


class Part(BaseModel):
    """A part of the document; what a later version adds to it is passed over."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class SeenEffect(Part):
    """An effect and what was seen of it; `ok` None: it could not be run."""

    name: str
    ok: bool | None
    seen: str


class ItemPart(Part):
    """An item on a host."""

    status: Status
    differences: tuple[str, ...] = ()
    effects: tuple[SeenEffect, ...] = ()
    reason: str | None = None


class OwnChecks(Part):
    """What a host's own checks say, on its own timer: how old that is by its clock, and what fails."""

    age_s: int
    late: bool
    ok: int
    not_run: int
    failed: dict[str, str] = {}


class HostPart(Part):
    """A host: how it is declared, how its items stand, and what it keeps of itself (in words, by name)."""

    address: str
    debian: int
    roles: tuple[str, ...]
    reachable: bool
    error: str | None = None
    items: dict[str, ItemPart]
    state: dict[str, str] = {}
    checks: OwnChecks | None = None

    @property
    def complaints(self) -> tuple[tuple[str, str], ...]:
        """What its own checks say that needs somebody: each that fails, and that none has run for long."""
        if self.checks is None:
            return ()
        late = [("own checks", f"none has run for {self.checks.age_s} s")] if self.checks.late else []
        return (*late, *((f"own check {name}", seen) for name, seen in self.checks.failed.items()))


class ValuePart(Part):
    """A value that several hosts have."""

    value: str
    hosts: tuple[str, ...]


class FindingPart(Part):
    """What hosts have not alike; `role` None: hosts of all roles."""

    role: str | None
    thing: str
    values: tuple[ValuePart, ...]
    text: str


class Evidence(Part):
    """What is shown of a drill's evidence.json (its whole shape: the drill's own report)."""

    id: str
    drill: str
    host: str
    verdict: Literal["passed", "refuted", "failed", "not_run"]
    requirement: str | None = None
    started: str | None = None
    measured: dict[str, object] = {}
    not_run: tuple[str, ...] = ()

    @property
    def outage_s(self) -> float | None:
        """Seconds without a good answer, where a client measured them."""
        found = self.measured.get("outage_s")
        return float(found) if isinstance(found, int | float) and not isinstance(found, bool) else None


class Got(Part):
    """Which generation a host got, and when by its own clock, in seconds since 1970; `before` None: it had none."""

    before: int | None = Field(default=None, alias="from")
    generation: int
    switched_at: float


class Step(Part):
    """A step of a rotation, by the controller's clock. `hosts`: who got a generation with it."""

    at: float
    step: str
    skew_s: float | None = None
    hosts: dict[str, Got] = {}


class Probed(Part):
    """What a prober that ran beside saw: tokens taken, by signer and verifier; refused, by reason."""

    began: str
    seconds: float
    verified: dict[str, int] = {}
    failed: int = 0

    @property
    def taken(self) -> int:
        """How many tokens were taken."""
        return sum(self.verified.values())


class Ended(Part):
    """How what ran in a service that was stopped or restarted ended, in words."""

    host: str
    words: str


class Turned(Part):
    """Evidence of a rollout or a rotation: who got what when, and what it cost."""

    id: str
    rotation: Literal["rollout", "rotate", "promote", "retire", "revoke", "migrate", "swap"]
    requirement: str
    fleet: str
    secret: str | None = None
    started: str
    seconds: float
    revision: str | None = None
    generation: int | None = None
    hosts: dict[str, Got] = {}
    skew_s: float | None = None
    outage_s: float | None = None
    steps: tuple[Step, ...] = ()
    ended: tuple[Ended, ...] = ()
    probed: Probed | None = None
    not_run: tuple[str, ...] = ()
    stands: str | None = None
    error: str | None = None
    verdict: Literal["passed", "refuted", "failed"]

    @property
    def switches(self) -> tuple[tuple[float | None, dict[str, Got]], ...]:
        """Each time that hosts got a generation: how far the first and the last were apart, and who got it when."""
        found = tuple((one.skew_s, one.hosts) for one in self.steps if one.hosts)
        return found or (((self.skew_s, self.hosts),) if self.hosts else ())

    @property
    def widest_s(self) -> float | None:
        """The widest skew of a switch."""
        return max((skew for skew, _ in self.switches if skew is not None), default=None)


class Report(Part):
    """`made`: when, in UTC. `revision`: of this tree. `checklist`: each item's text, in order."""

    fleet: str
    revision: str | None
    made: str
    checklist: dict[str, str]
    hosts: dict[str, HostPart]
    findings: tuple[FindingPart, ...] = ()
    drills: tuple[Evidence, ...] = ()
    rotations: tuple[Turned, ...] = ()
    execs: dict[str, int] = {}
    seconds: float = 0.0
