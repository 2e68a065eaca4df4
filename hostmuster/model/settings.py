"""Settings of three levels become one, and each value knows the level, file and line it came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from pydantic import JsonValue

from hostmuster.model.document import Document, KeyPath


@dataclass(frozen=True)
class Origin:
    """Where a value was set: level is `default`, `fleet`, `role NAME` or `host NAME`.

    A default is the item's own: it has no file and line 0.
    """

    level: str
    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line} ({self.level})" if self.file else self.level


DEFAULT = Origin("default")


@dataclass(frozen=True)
class Layer:
    """What one level says: a tree, and where each of its values stands."""

    level: str
    data: Mapping[str, JsonValue]
    document: Document
    at: KeyPath

    def origin(self, path: KeyPath) -> Origin:
        """The origin of a value of this layer."""
        return Origin(self.level, self.document.file, self.document.line((*self.at, *path)))


@dataclass(frozen=True)
class Merged:
    """The merged tree with the origin and the unquoted spelling of its values."""

    data: Mapping[str, JsonValue]
    origins: Mapping[KeyPath, Origin] = field(default_factory=lambda: MappingProxyType({}))
    spelled: Mapping[KeyPath, str] = field(default_factory=lambda: MappingProxyType({}))
    spoiled: frozenset[KeyPath] = frozenset()

    def origin(self, path: KeyPath) -> Origin:
        """The origin of a value: of the last level that set it, or any part of it. DEFAULT where none did."""
        return self.origins.get(path, DEFAULT)

    def nearest(self, path: KeyPath) -> Origin:
        """The origin of a value or, where it was not set, of what stands around it."""
        while path and path not in self.origins:
            path = path[:-1]
        return self.origins.get(path, DEFAULT)

    def is_spoiled(self, path: KeyPath) -> bool:
        """Whether something was said already about the value or what stands around it."""
        return any(path[:length] in self.spoiled for length in range(len(path) + 1))


def merge(layers: Sequence[Layer]) -> Merged:
    """Later layers win. Mappings merge key by key; texts, numbers, null and lists are replaced as a whole."""
    pile = _Pile()
    for layer in layers:
        pile.lay(pile.data, layer.data, (), layer)
    return Merged(pile.data, pile.origins, pile.spelled, frozenset(pile.spoiled))


@dataclass
class _Pile:
    data: dict[str, JsonValue] = field(default_factory=dict)
    origins: dict[KeyPath, Origin] = field(default_factory=dict)
    spelled: dict[KeyPath, str] = field(default_factory=dict)
    spoiled: set[KeyPath] = field(default_factory=set)

    def lay(self, below: dict[str, JsonValue], above: Mapping[str, JsonValue], path: KeyPath, layer: Layer) -> None:
        for key, value in above.items():
            here = (*path, key)
            under = below.get(key)
            if isinstance(under, dict) and isinstance(value, dict):
                self.origins[here] = layer.origin(here)
                self.lay(under, value, here, layer)
                continue
            self._forget(here)
            below[key] = self._copy(value, here, layer)

    def _forget(self, path: KeyPath) -> None:
        for known in [known for known in self.origins if known[: len(path)] == path]:
            del self.origins[known]
            self.spelled.pop(known, None)
            self.spoiled.discard(known)

    def _copy(self, value: JsonValue, path: KeyPath, layer: Layer) -> JsonValue:
        self.origins[path] = layer.origin(path)
        whole = (*layer.at, *path)
        if whole in layer.document.spelled:
            self.spelled[path] = layer.document.spelled[whole]
        if whole in layer.document.spoiled:
            self.spoiled.add(path)
        if isinstance(value, dict):
            return {key: self._copy(inner, (*path, key), layer) for key, inner in value.items()}
        if isinstance(value, list):
            return [self._copy(inner, (*path, position), layer) for position, inner in enumerate(value)]
        return value
