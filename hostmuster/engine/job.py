"""The engine's input: one JSON document, checked."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr

Command = Literal["apply", "check", "verify", "bootstrap", "unlock", "freeze", "thaw", "status", "onboard", "host_key"]


class Job(BaseModel):
    """One run. `holder` names the person for leases; the sudo password comes only this way and goes nowhere else."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    command: Command
    project: Path
    fleet: str
    limit: tuple[str, ...] | None = None
    item: str | None = None
    canary: str | None = None
    batch: int | None = Field(default=None, gt=0)
    failures: int = Field(default=1, gt=0)
    plan: Path | None = None
    out: Path | None = None
    deep: bool = False
    settle: Literal["resume", "revert"] | None = None
    reason: str | None = None
    fingerprint: str | None = None
    replace: bool = False
    yes: bool = False
    holder: str
    sudo_password: SecretStr | None = None
