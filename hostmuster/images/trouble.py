"""Why an engine does not answer, as its host tells it (trouble.sh)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Trouble:
    """`unit`, in this `state`, is why; `lasts`: it does not come up by itself.

    `text`: which unit, since when, its last word, the remedy.
    """

    unit: str
    state: str
    lasts: bool
    text: str

    @classmethod
    def of(cls, now: Mapping[str, str]) -> Trouble | None:
        """From what `engine.sh engine` says, by its lines' first words; None where the engine answers."""
        if "trouble" not in now:
            return None
        lasts, _, text = now["trouble"].partition(" ")
        unit, _, state, *_ = text.split()
        return cls(unit, state, lasts == "lasting", text)
