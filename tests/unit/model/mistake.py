"""Mistakes that people make in a fleet file, as data: a change of a file without any, and what is said of it."""

from __future__ import annotations

from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter

from hostmuster.errors import Problem

FOLDER = Path(__file__).parent / "mistakes"


class Mistake(BaseModel):
    """`change`: what was there, and what is there instead. `told`: the line, words of what is said, of the remedy."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    change: tuple[str, str]
    told: tuple[int, str, str]

    def made_in(self, good: str) -> str:
        """The file with it."""
        was, now = self.change
        assert was in good
        return good.replace(was, now, 1)

    def is_told_by(self, problem: Problem) -> bool:
        """With its line, and what to write instead."""
        line, what, remedy = self.told
        return problem.where == f"inventory/lab.yml:{line}" and what in problem.what and remedy in problem.remedy


def mistakes(name: str) -> dict[str, Mistake]:
    """Those of one file of the folder, by what they are."""
    rows = yaml.safe_load((FOLDER / f"{name}.yml").read_text())
    return TypeAdapter(dict[str, Mistake]).validate_python(rows)
