"""Every case and every known trap has a test that runs product code; what cannot have one yet is a known list."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from tests.unit.cases import CASES, NotYet, traps

ROOT = Path(__file__).parents[2]
TRAPS = traps()
TESTED = [(case.id, test) for case in CASES for test in case.tests] + [
    (trap, f"tests/{test}") for trap, tests in TRAPS.items() if not isinstance(tests, NotYet) for test in tests
]
AREAS = {
    "allow": 2, "aa": 1, "bk": 2, "ch": 1, "di": 2, "env": 6, "hp": 2, "inv": 5, "ipt": 5, "ka": 3, "ng": 3, "redis": 1,
    "rel": 2, "sd": 4, "sec": 6,
}  # fmt: skip
"""How many cases each area has: one that is dropped is missed."""
KNOWN = {
    "env files": 14, "keys and credentials": 19, "tinyproxy": 12, "iptables": 11, "systemd": 6, "keepalived": 8,
    "nginx": 4, "apparmor": 3, "images": 2, "known_hosts, time, YAML, restarts": 5, "data": 4, "rotation": 5,
    "drills": 5,
}  # fmt: skip
"""How many traps of each area are known."""
NOT_YET = {
    "data": 6,
    "drills": 3,
    "releases": 1,
}
"""By the part that brings it, how many have no counterpart in the product."""


@cache
def parsed(file: Path) -> ast.Module:
    """A file of tests."""
    return ast.parse(file.read_text())


@pytest.mark.parametrize(
    ("shows", "node"), TESTED, ids=[f"{shows}: {node.rpartition('::')[2]}" for shows, node in TESTED]
)
def test_its_test_exists_and_runs_product_code(shows: str, node: str) -> None:
    name, _, function = node.partition("::")
    file = ROOT / name
    assert file.is_file(), f"{shows}: {name} is gone"
    assert function in {one.name for one in parsed(file).body if isinstance(one, ast.FunctionDef)}, f"{shows}: {node}"
    imported = {one.module or "" for one in ast.walk(parsed(file)) if isinstance(one, ast.ImportFrom)}
    ours = ("hostmuster", "deploys", "tests.lab", "tests.items", "tests.unit", "tests.drills")
    assert any(module.startswith(ours) for module in imported), f"{name} tries nothing of ours"


def test_every_case_is_tried_or_waits_for_its_part() -> None:
    idle = [case.id for case in CASES if case.runs + bool(case.tests) + bool(case.not_yet) == 0]
    assert idle == []
    assert [case.id for case in CASES if case.not_yet and (case.runs or case.tests)] == []
    assert all(case.lint for case in CASES if case.refused or case.passes)
    assert len({case.id for case in CASES}) == len(CASES)


def test_no_case_was_dropped() -> None:
    counted = {area: sum(case.id.startswith(f"{area}-") for case in CASES) for area in AREAS}
    assert counted == AREAS
    assert sum(AREAS.values()) == len(CASES)


def test_every_trap_has_a_test_or_waits_for_its_part() -> None:
    assert [trap for trap, tests in TRAPS.items() if not isinstance(tests, NotYet) and not tests] == []
    assert Counter(trap.partition(": ")[0] for trap in TRAPS) == KNOWN


def test_what_waits_for_its_part_is_exactly_what_is_known_to() -> None:
    waiting = [case.not_yet for case in CASES if case.not_yet]
    waiting += [tests for tests in TRAPS.values() if isinstance(tests, NotYet)]
    assert {part: sum(one.part == part for one in waiting) for part in {one.part for one in waiting}} == NOT_YET
