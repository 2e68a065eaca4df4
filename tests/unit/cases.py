"""The cases of tests/cases: inputs that went wrong for others, each with the value that is right here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from hostmuster.resources.file import Grammar

FOLDER = Path(__file__).parents[1] / "cases"


class Strict(BaseModel):
    """A typo in a case is no case."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Lint(Strict):
    """Which grammar, and where on a host it would lie."""

    grammar: Grammar
    path: str


class Refused(Strict):
    """`with`: words of `around` and what stands in their place; `bytes`: hexadecimal, for what is no text."""

    input: str = ""
    bytes: str | None = None
    replaced: Mapping[str, str] = Field(default={}, alias="with")
    says: str


class FieldType(Strict):
    """A field type of a settings model."""

    name: str
    refused: tuple[Any, ...]
    taken: tuple[Any, ...] = ()


class Typed(Strict):
    """A piece of YAML: what is said of it, or what it reads as."""

    input: str
    says: str | None = None
    reads: Any = None


class NotYet(Strict):
    """Why nothing of the product can be tried yet, and the part that brings it."""

    part: str
    why: str


class Case(Strict):
    """One case. `tests` are further ones, of its own kind."""

    id: str
    source: str
    carried: Mapping[str, str] = {}
    docker_refuses: tuple[str, ...] = ()
    lint: Lint | None = None
    around: str = "INPUT"
    refused: tuple[Refused, ...] = ()
    passes: tuple[str, ...] = ()
    type: FieldType | None = None
    yaml: tuple[Typed, ...] = ()
    tests: tuple[str, ...] = ()
    not_yet: NotYet | None = None

    def artefact(self, text: str, replaced: Mapping[str, str] | None = None) -> bytes:
        """The input where it belongs."""
        body = self.around.replace("INPUT", text)
        for word, instead in {**(replaced or {}), "WEIGHT": (replaced or {}).get("WEIGHT", "")}.items():
            body = body.replace(word, instead)
        return body.encode()

    @property
    def runs(self) -> bool:
        """Whether its own data are tried against the product."""
        return bool(self.carried or self.refused or self.passes or self.type or self.yaml)


def cases() -> list[Case]:
    """All of them, file after file."""
    files = sorted(file for file in FOLDER.glob("*.yml") if file.name != "traps.yml")
    return [Case.model_validate(one) for file in files for one in yaml.safe_load(file.read_text()) or ()]


def traps() -> dict[str, tuple[str, ...] | NotYet]:
    """Every known trap, as `area: trap`, with its tests below tests/."""
    areas = yaml.safe_load((FOLDER / "traps.yml").read_text())
    rows = TypeAdapter(dict[str, dict[str, tuple[str, ...] | NotYet]]).validate_python(areas)
    return {f"{area}: {trap}": what for area, traps in rows.items() for trap, what in traps.items()}


CASES = cases()
