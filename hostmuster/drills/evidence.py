"""The evidence of a drill, reports/ID/evidence.json, bound to what it was held on (R12, CLI.md)."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from hostmuster.project import Project

Verdict = Literal["passed", "refuted", "failed", "not_run"]
SERVES = "somebody serves"
"""What is looked for all the time that a fault lasts (H20)."""


class Part(BaseModel):
    """Evidence is written once, and read by whoever has it."""

    model_config = ConfigDict(extra="forbid")


class Shown(Part):
    """Something that was looked for. `ok` None: it could not be run."""

    name: str
    ok: bool | None
    seen: str


class HostLines(Part):
    """The lines of the checklist on a host: how many held, which did not, which could not be run."""

    ok: int
    failed: dict[str, str] = {}
    not_run: tuple[str, ...] = ()


class Steady(Part):
    """A steady state: lines by host, who is ready, who has each virtual IP, the tasks by state."""

    hosts: dict[str, HostLines]
    ready: dict[str, bool] = {}
    virtual_ips: dict[str, tuple[str, ...]] = {}
    queue: dict[str, int] | None = None

    @property
    def failed(self) -> list[str]:
        """What does not hold, in words."""
        lines = [f"{host}: {item}: {why}" for host, one in self.hosts.items() for item, why in one.failed.items()]
        return [*lines, *(f"{name} is not ready" for name, ready in self.ready.items() if not ready)]


class BeforeAfter(Part):
    """Both steady states; None: it was never reached."""

    before: Steady | None = None
    after: Steady | None = None


class Happened(Part):
    """One fault: when, by the controller's clock; its undoing; how long until the host was whole again."""

    what: str
    at: float
    undoing: str
    undone: float | None = None
    back_s: float | None = None
    seen: list[Shown] = []

    @property
    def stopped(self) -> bool:
        """Whether it was taken back early, since nobody served: no other fault follows it."""
        return any(one.name == SERVES and one.ok is False for one in self.seen)


class Numbers(Part):
    """What was measured from a client; None: not measured, and `not_run` says why."""

    outage_s: float | None = None
    sampling_s: float | None = None
    failed: dict[str, int] = {}
    acknowledged: int | None = None
    lost: int | None = None
    duplicated: int | None = None


class Targets(Part):
    """What was promised; None: counted, and not judged."""

    outage_s: float | None = None
    back_s: float | None = None
    failed: dict[str, int] = {}
    lost: int | None = None
    duplicated: int | None = None


class Evidence(Part):
    """All of it. `config_digest`: over fleet file, deploys and templates; `release`: of the service, where known."""

    id: str
    drill: str
    requirement: str
    host: str
    release: str | None = None
    config_digest: str
    versions: dict[str, str] = {}
    started: str
    steady_state: BeforeAfter = BeforeAfter()
    fault: list[Happened] = []
    measured: Numbers = Numbers()
    targets: Targets = Targets()
    cleanup: list[Shown] = []
    not_run: list[str] = []
    verdict: Verdict = "failed"


def config_digest(project: Project, fleet: str) -> str:
    """SHA-256 over the names and bytes of what makes the hosts as they are."""
    paths = [project.fleet_file(fleet)]
    for folder in ("deploys", "templates"):
        paths += sorted(path for path in (project.root / folder).rglob("*") if path.is_file() and path.suffix != ".pyc")
    digest = hashlib.sha256()
    for path in paths:
        digest.update(f"{path.relative_to(project.root)}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def new_id(drill: str, run: str) -> str:
    """Sorts by time, and no two runs share it."""
    return f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{drill}-{run[:4]}"


def write(folder: Path, evidence: Evidence) -> None:
    """By rename; for its owner alone, as all reports."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    new = folder / ".evidence.json.new"
    new.touch(mode=0o600)
    new.write_text(evidence.model_dump_json(indent=2) + "\n")
    new.replace(folder / "evidence.json")
