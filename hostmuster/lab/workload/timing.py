"""One declared figure and what follows from it: within how many seconds the tasks of a lost worker are swept (H12)."""

from __future__ import annotations

from dataclasses import dataclass

from .environment import Environment, seconds

NAME = "WORKLOAD_SWEEP_S"
DEFAULT_S = 300


@dataclass(frozen=True)
class Timing:
    """A lease and the look that finds it over are together below the figure, with a sixth of it to spare."""

    sweep_s: int

    @classmethod
    def of(cls, environment: Environment) -> Timing:
        """Raises Misconfigured."""
        return cls(seconds(environment, NAME, DEFAULT_S))

    @property
    def lease_s(self) -> float:
        """How long a task stays its worker's without a word of it."""
        return self.sweep_s * 2 / 3

    @property
    def beat_s(self) -> float:
        """How often a worker gives word; four in a row may be missed. And how often anybody looks for leases over."""
        return self.sweep_s / 6
