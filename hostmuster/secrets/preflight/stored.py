"""What the store says for the table of K1: which secrets there are of a kind, and which their kinds refuse."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hostmuster.errors import InputError, Problem
from hostmuster.secrets.any_store import AnyStore


@dataclass(frozen=True)
class Stored:
    """`kinds` by name; `problems`: values that their kinds refuse, as one edited with the sops tool may be."""

    kinds: Mapping[str, str]
    problems: tuple[Problem, ...] = ()

    @classmethod
    def of(cls, store: AnyStore) -> Stored:
        """Raises Refused where no identity opens it, Tampered where it does not hold."""
        problems: list[Problem] = []
        for name, one in store.entries.items():
            try:
                one.kind.check(store.value(name), name)
            except InputError as error:
                problems += error.problems
        return cls({name: one.kind.name for name, one in store.entries.items()}, tuple(problems))

    def of_kind(self, kind: str) -> list[str]:
        """The names of that kind, in file order."""
        return [name for name, other in self.kinds.items() if other == kind]
