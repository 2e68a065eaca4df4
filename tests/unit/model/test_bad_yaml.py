"""What is wrong as YAML, or would be read differently by another YAML reader, is refused with its line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from hostmuster.errors import InputError, Problem
from hostmuster.model import document
from hostmuster.model.inventory import load_fleet
from hostmuster.project import Project
from tests.unit.model.mistake import Mistake, mistakes

MISTAKES = mistakes("yaml") | {
    "a number of 5000 digits": Mistake(
        change=("debian: 13", "debian: 1" + 4999 * "0"), told=(12, "a number of 5000 digits", "at most 18")
    ),
    "brackets that overflow the parser": Mistake(
        change=("[ntp.example.net]", 100_000 * "["), told=(4, "nest", "left open")
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES.keys())
def test_it_is_refused_with_its_line_and_what_to_write(
    good: str, wrong: Callable[..., list[Problem]], mistake: Mistake
) -> None:
    said = wrong(mistake.made_in(good))
    assert any(mistake.is_told_by(problem) for problem in said), said


def test_an_alias_bomb_is_refused_without_being_expanded(wrong: Callable[..., list[Problem]]) -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    for name, before in zip("bcdefgh", "abcdefg", strict=True):
        lines.append(f"{name}: &{name} [{', '.join(9 * [f'*{before}'])}]")
    said = wrong("\n".join(lines))
    assert said[0].where == "inventory/lab.yml:1"
    assert "`&a` names a value for reuse" in said[0].what
    assert any(problem.where == "inventory/lab.yml:8" and "`*g`" in problem.what for problem in said)


def test_a_file_of_nothing_but_aliases_stops_after_a_hundred_mistakes(
    wrong: Callable[..., list[Problem]],
) -> None:
    assert len(wrong("a:\n" + 50_000 * "- *a\n")) == 100


FILES = {
    "empty": (b"", "inventory/lab.yml:1", "the file is empty", "declare a fleet"),
    "only a comment": (b"# nothing\n", "inventory/lab.yml:1", "the file is empty", "declare a fleet"),
    "Latin-1": (b"fleet: lab\n# caf\xe9\n", "inventory/lab.yml:2", "the byte 0xe9 is not UTF-8", "UTF-8"),
    "UTF-16": ("fleet: lab".encode("utf-16"), "inventory/lab.yml:1", "saved as UTF-16", "UTF-8"),
    "5 MB": (b"# " + 5_000_000 * b"x", "inventory/lab.yml", "over 1 MiB", "file of its own"),
    "a list": (b"- fleet: lab\n", "inventory/lab.yml:1", "a mapping (`key: value`) is expected", "mapping"),
    "a word": (b"lab\n", "inventory/lab.yml:1", 'found the text "lab"', "mapping"),
}


@pytest.mark.parametrize(("content", "where", "what", "remedy"), FILES.values(), ids=FILES.keys())
def test_a_file_that_is_no_fleet_file_is_refused(
    wrong: Callable[..., list[Problem]], content: bytes, where: str, what: str, remedy: str
) -> None:
    (problem,) = wrong(content)
    assert problem.where == where
    assert what in problem.what
    assert remedy in problem.remedy


def test_a_byte_order_mark_windows_line_ends_and_tabs_inside_text_are_no_mistakes(
    good: str, load: Callable[..., object]
) -> None:
    tabbed = good.replace("[ntp.example.net]", "['a\tb'] # a\tcomment")
    load(b"\xef\xbb\xbf" + tabbed.replace("\n", "\r\n").encode())


def test_dates_versions_and_addresses_without_quotes_stay_what_they_look_like() -> None:
    text = "a: 2026-01-02\nb: y\nc: 1.2.3\nd: 10.0.0.1\ne: 1e3\nf: 0\ng: -7\nh: ~\ni: TRUE\nj: '0644'\nk: 8080:80x"
    assert document.parse(text, "f").data == {
        "a": "2026-01-02",
        "b": "y",
        "c": "1.2.3",
        "d": "10.0.0.1",
        "e": 1000.0,
        "f": 0,
        "g": -7,
        "h": None,
        "i": True,
        "j": "0644",
        "k": "8080:80x",
    }


def test_every_value_knows_its_line() -> None:
    read = document.parse("a:\n  b: 1\n  c:\n    - x\n    - {d: 2}\n", "f.yml")
    assert read.lines == {
        (): 1,
        ("a",): 1,
        ("a", "b"): 2,
        ("a", "c"): 3,
        ("a", "c", 0): 4,
        ("a", "c", 1): 5,
        ("a", "c", 1, "d"): 5,
    }
    assert read.where(("a", "c", 1, "missing")) == "f.yml:5"


@pytest.mark.parametrize("case", ["a tab as indentation", "a tab after a colon", "a list left open", "a wild card"])
def test_where_libyaml_is_not_built_in_the_line_and_the_remedy_are_the_same(
    good: str, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    mistake = MISTAKES[case]
    monkeypatch.setattr(document, "_LOADER", yaml.SafeLoader)
    with pytest.raises(InputError) as caught:
        document.parse(mistake.made_in(good), "inventory/lab.yml")
    (problem,) = caught.value.problems
    assert mistake.is_told_by(problem), problem


@given(st.text(alphabet="ab:- \n\t[]{}#&*!|>'\"%@,?0~\\\r", max_size=60))
def test_whatever_is_typed_is_read_or_refused_and_never_crashes(text: str) -> None:
    try:
        read = document.parse(text, "inventory/lab.yml")
    except InputError as error:
        assert all(problem.what and problem.remedy for problem in error.problems)
    else:
        assert json.dumps(read.data)


SMALL = """\
fleet: lab
settings: {clock: {}}
roles: {server: {observe: [clock]}, worker: {settings: {units: {}}}}
hosts:
  h1: {address: 192.0.2.1, debian: 12, roles: [server, worker]}
  h2:
    address: 192.0.2.2
    debian: 13
    roles:
    - worker
"""


@given(st.text(alphabet="ab:- \n[]{}#'\"0,", max_size=12), st.integers(0, 260))
def test_a_fleet_file_with_anything_typed_into_it_is_read_or_refused(text: str, at: int) -> None:
    with TemporaryDirectory() as folder:
        project = Project(Path(folder))
        (project.root / "inventory").mkdir()
        typed = f"{SMALL[:at]}{text}{SMALL[at:]}"
        project.fleet_file("lab").write_text(typed, encoding="utf-8", newline="")
        try:
            fleet = load_fleet(project, "lab", {"clock": None, "units": None})
        except InputError as error:
            lines = typed.count("\n") + 1
            assert all(1 <= int(problem.where.rpartition(":")[2]) <= lines for problem in error.problems)
        else:
            assert fleet.hosts
