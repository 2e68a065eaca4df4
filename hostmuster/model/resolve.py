"""Each host's settings: merged, checked by the items' own models, and every mistake said once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict, JsonValue

from hostmuster.engine.foreign import foreign
from hostmuster.errors import Problem, Refused
from hostmuster.model.document import KeyPath
from hostmuster.model.explain import Complaint, check
from hostmuster.model.raw import RawFleet
from hostmuster.model.settings import Layer, Merged, merge


class NoSettings(BaseModel):
    """The settings of an item that has none."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Schemas = Mapping[str, type[BaseModel] | None]
"""Every item of the checklist by name, with the model of its settings (None: it has none)."""


@dataclass(frozen=True)
class Resolved:
    """One host's settings: a checked model per item, and where each value came from."""

    models: Mapping[str, BaseModel]
    merged: Merged


@dataclass
class Resolver:
    """Resolves host after host; problems() gives what was wrong, each mistake once for all hosts it hits."""

    raw: RawFleet
    schemas: Schemas | None
    for_roles: Mapping[str, frozenset[str]]
    root: Path
    _checked: dict[tuple[str, str], BaseModel | list[Complaint]] = field(default_factory=dict)
    _merged: dict[tuple[str, ...], Merged] = field(default_factory=dict)
    _wrong: dict[tuple[str, str, str, str], list[str]] = field(default_factory=dict)

    def resolve(self, host: str) -> Resolved:
        """A host's settings. What is wrong is left out and kept for problems()."""
        merged = self._merge(host)
        models: dict[str, BaseModel] = {}
        for item, schema in (self.schemas or {}).items():
            result = self._check(item, schema or NoSettings, merged)
            if isinstance(result, BaseModel):
                models[item] = result
                continue
            needed = self._is_for(item, host)
            for complaint in result:
                if needed or not complaint.absent:
                    self._keep(complaint, host, merged)
        return Resolved(models, merged)

    def problems(self) -> list[Problem]:
        """Every mistake so far, with the level that made it or, where no level did, the hosts it hits."""
        return [
            Problem(where, f"{what} ({level or self._named(hosts)})", remedy)
            for (where, what, remedy, level), hosts in self._wrong.items()
        ]

    def _merge(self, host: str) -> Merged:
        """Hosts that say nothing themselves share one merged tree for each combination of roles."""
        *above, own = self.raw.levels_of(host)
        names = tuple(level.name for level in above)
        layers: list[Layer] = [level.layer(self.raw.document) for level in above]
        if own.settings:
            return merge([*layers, own.layer(self.raw.document)])
        if names not in self._merged:
            self._merged[names] = merge(layers)
        return self._merged[names]

    def _check(self, item: str, schema: type[BaseModel], merged: Merged) -> BaseModel | list[Complaint]:
        data: JsonValue = merged.data.get(item, {})
        key = (
            item,
            json.dumps([data, [f"{path}{word}" for path, word in merged.spelled.items() if path[0] == item]]),
        )
        if key not in self._checked:
            self._checked[key] = self._validated(item, schema, data, merged)
        return self._checked[key]

    def _validated(
        self, item: str, schema: type[BaseModel], data: JsonValue, merged: Merged
    ) -> BaseModel | list[Complaint]:
        """A validator of a project's own item may raise anything: that is one complaint about these settings."""
        remedy = f"correct the item {item}: its settings are {schema.__module__}.{schema.__qualname__}"
        try:
            return check(schema, data, merged.spelled, (item,), foreign(self.root, item, remedy))
        except Refused as error:
            return [Complaint((item,), f"{item}: {error.what}", error.remedy)]

    def _is_for(self, item: str, host: str) -> bool:
        roles = self.for_roles.get(item, frozenset())
        return not roles or bool(roles & set(self.raw.roles_of(host)))

    def _keep(self, complaint: Complaint, host: str, merged: Merged) -> None:
        if merged.is_spoiled(complaint.path):
            return
        origin = merged.nearest(complaint.path)
        where = f"{origin.file}:{origin.line}" if origin.file else self._settings_line()
        level = f"set at {origin.level} level" if origin.level == "fleet" else f"set by {origin.level}"
        said = (
            where,
            f"settings.{complaint.what}" if complaint.what.startswith(str(complaint.path[0])) else complaint.what,
            complaint.remedy,
            level if origin.file else "",
        )
        self._wrong.setdefault(said, []).append(host)

    def _settings_line(self) -> str:
        path: KeyPath = ("settings",)
        return self.raw.document.where(path)

    def _named(self, hosts: list[str]) -> str:
        if len(hosts) == len(self.raw.hosts) and len(hosts) > 1:
            return "set at no level; needed by all hosts"
        rest = f" and {len(hosts) - 3} more" if len(hosts) > 3 else ""
        return f"set at no level; needed by {', '.join(hosts[:3])}{rest}"
