"""Each case's input is carried, read or refused as it is right, by product code and the consumer's real parser."""

from __future__ import annotations

import importlib
import subprocess
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from hostmuster.engine.lint import LINTERS
from hostmuster.env.file import refusals, render
from hostmuster.errors import InputError
from hostmuster.lint.linter import Artefact
from hostmuster.model.document import parse
from tests.unit.cases import CASES, Case, FieldType, Lint, Refused, Typed
from tests.unit.env import systemd_parser

LINTED = [(case, case.lint) for case in CASES if case.lint]


def said(lint: Lint, content: bytes) -> list[str]:
    """All complaints about an artefact."""
    linter, artefact = LINTERS[lint.grammar], Artefact(lint.path, content)
    assert linter.version() is not None, f"{linter.programs} is missing: see .ci/apt-packages"
    return [*linter.parse([artefact])[artefact], *linter.traps(artefact)]


@pytest.mark.parametrize(
    ("case", "lint", "refused"), [(case, lint, one) for case, lint in LINTED for one in case.refused]
)
def test_it_is_refused_before_any_host_is_touched(case: Case, lint: Lint, refused: Refused) -> None:
    content = bytes.fromhex(refused.bytes) if refused.bytes else case.artefact(refused.input, refused.replaced)
    found = said(lint, content)
    assert any(refused.says in line for line in found), found


@pytest.mark.parametrize(
    ("case", "lint", "text"), [(case, lint, text) for case, lint in LINTED for text in case.passes]
)
def test_what_is_meant_passes(case: Case, lint: Lint, text: str) -> None:
    assert said(lint, case.artefact(text)) == []


@pytest.mark.parametrize("case", [case for case in CASES if case.carried], ids=lambda case: case.id)
def test_each_consumer_gets_the_value_itself(case: Case, tmp_path: Path) -> None:
    file = tmp_path / "env"
    file.write_bytes(render("systemd", case.carried))
    assert systemd_parser.read(file) == case.carried
    file.write_bytes(render("shell", case.carried))
    for name, value in case.carried.items():
        told = subprocess.run(["sh", "-c", f'. "$0"; printf %s "${name}"', str(file)], capture_output=True, check=True)
        assert told.stdout.decode() == value
    assert [line.split()[0] for line in refusals("docker", case.carried)] == list(case.docker_refuses)
    rest = {name: value for name, value in case.carried.items() if name not in case.docker_refuses}
    assert render("docker", rest).decode() == "".join(f"{name}={value}\n" for name, value in rest.items())


def adapter(kind: FieldType) -> TypeAdapter[Any]:
    """The field type by its name."""
    module, _, name = kind.name.partition(":")
    return TypeAdapter(getattr(importlib.import_module(module), name))


@pytest.mark.parametrize(
    ("kind", "value"), [(case.type, value) for case in CASES if case.type for value in case.type.refused]
)
def test_a_field_does_not_take_it(kind: FieldType, value: object) -> None:
    with pytest.raises(ValidationError) as caught:
        adapter(kind).validate_python(value)
    assert caught.value.errors()[0]["ctx"]["remedy"]


@pytest.mark.parametrize(
    ("kind", "value"), [(case.type, value) for case in CASES if case.type for value in case.type.taken]
)
def test_a_field_takes_it_as_it_stands(kind: FieldType, value: object) -> None:
    assert adapter(kind).validate_python(value) == value


@pytest.mark.parametrize("typed", [typed for case in CASES for typed in case.yaml], ids=lambda typed: typed.input[:20])
def test_typed_into_a_fleet_file_it_means_one_thing_or_is_refused(typed: Typed) -> None:
    problems, data = [], None
    try:
        document = parse(typed.input, "fleet.yml")
        problems, data = list(document.problems), document.data
    except InputError as error:
        problems = list(error.problems)
    if typed.says is None:
        assert (problems, data) == ([], typed.reads)
    else:
        assert any(typed.says in f"{problem.what} {problem.remedy}" for problem in problems), problems
        assert all(problem.where.startswith("fleet.yml:") for problem in problems)
