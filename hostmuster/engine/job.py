"""The engine's input: one JSON document, checked."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr

Command = Literal[
    "apply", "check", "verify", "report", "bootstrap", "unlock", "freeze", "thaw", "status", "onboard", "host_key",
    "offboard", "departure", "exposed", "rollout", "rotation", "generations",
    "replacing", "references", "revoke", "preflight", "drill", "drill_all", "drill_list", "fleet_kind", "soak",
]  # fmt: skip


class Job(BaseModel):
    """One run. `holder` names the person for leases; `value` is a secret's new one. That and the sudo password come
    only this way, and go nowhere else.

    `undo_s`, `pause` and `fault` are for who kills drills: so soon a fault undoes itself, at this step
    a drill waits to be killed, and it is held with this one of its faults.
    """

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
    confirm: str | None = None
    lost: bool = False
    yes: bool = False
    secret: str | None = None
    request: Literal["rotate", "promote", "retire"] | None = None
    through: bool = False
    kid: str | None = None
    figures: Path | None = None
    declared: bool = False
    drill: str | None = None
    target: str | None = None
    undo_s: int | None = Field(default=None, ge=1)
    pause: str | None = None
    fault: int | None = None
    exclude: tuple[str, ...] = ()
    confirm_exclude: str | None = None
    seed: int | None = Field(default=None, ge=0)
    seconds: int | None = Field(default=None, gt=0)
    holder: str
    value: SecretStr | None = None
    sudo_password: SecretStr | None = None
