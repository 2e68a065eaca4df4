"""A plan saved by `check --out` and applied exactly, or refused (O5)."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from hostmuster.engine.plan import HostPlan
from hostmuster.errors import Refused
from hostmuster.model.explain import dotted

VERSION = 1


class _SavedHost(BaseModel):
    model_config = ConfigDict(extra="forbid")

    revision: int
    fingerprint: str
    differences: dict[str, list[str]]
    will: dict[str, list[str]]


class _Saved(BaseModel):
    model_config = ConfigDict(extra="forbid")

    version: int
    fleet: str
    item: str | None = None
    hosts: dict[str, _SavedHost]


class SavedPlan:
    """What a person has read and agreed to: every host's revision and the print of every step."""

    def __init__(self, path: Path, saved: _Saved) -> None:
        self._path = path
        self._saved = saved

    @classmethod
    def load(cls, path: Path, fleet: str) -> SavedPlan:
        """Raises Refused when it cannot be read or was made for another fleet."""
        try:
            saved = _Saved.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise Refused(
                f"no plan can be read there: {_reason(error)}",
                where=str(path),
                remedy="make one with `hostmuster check --out FILE`",
            ) from error
        if (saved.version, saved.fleet) != (VERSION, fleet):
            what = f"it is a plan (version {saved.version}) for the fleet {saved.fleet}"
            raise Refused(what, where=str(path), remedy=f"make one for {fleet}")
        return cls(path, saved)

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts it is for."""
        return tuple(self._saved.hosts)

    @property
    def item(self) -> str | None:
        """The one item that it is for (`check --item`); None: all."""
        return self._saved.item

    def require(self, plans: Mapping[str, HostPlan]) -> None:
        """Raises Refused, naming the hosts, unless each would now be changed exactly as the plan says."""
        moved = [name for name, saved in self._saved.hosts.items() if name in plans and not _same(saved, plans[name])]
        if moved:
            raise Refused(
                f"the plan is stale: {', '.join(moved)} moved on since it was made",
                where=str(self._path),
                remedy="nothing was touched; check again and read the new plan",
            )


def save(path: Path, fleet: str, plans: Mapping[str, HostPlan], *, item: str | None) -> None:
    """Writes a plan for people to read and `apply --plan` to hold to: differences and prints, no contents."""
    hosts = {
        name: _SavedHost(
            revision=plan.revision,
            fingerprint=plan.fingerprint,
            differences={i.item: [str(d) for d in i.differences] for i in plan.items if i.differences},
            will={i.item: list(i.will) for i in plan.changes if i.will},
        )
        for name, plan in plans.items()
    }
    body = _Saved(version=VERSION, fleet=fleet, item=item, hosts=hosts).model_dump()
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        json.dump(body, file, indent=2)


def _reason(error: OSError | ValidationError) -> str:
    if isinstance(error, OSError):
        return str(error.strerror)
    first = error.errors(include_url=False, include_input=False)[0]
    place = dotted(first["loc"])
    return f"{place}: {first['msg']}" if place else first["msg"]


def _same(saved: _SavedHost, plan: HostPlan) -> bool:
    return saved.revision == plan.revision and saved.fingerprint == plan.fingerprint
