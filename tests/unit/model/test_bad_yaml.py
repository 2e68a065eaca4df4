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
from hostmuster.model.fleet import load_fleet
from hostmuster.project import Project

# One value of the good file is replaced by a wrong one: what was there, what is there instead, the line,
# words of what is said, words of the remedy.
ROWS = {
    "a key that stands twice": (
        "    debian: 13\n",
        "    debian: 13\n    debian: 12\n",
        13,
        "the key `debian` stands twice here, first on line 12",
        "keep one of the two",
    ),
    "a host that stands twice": (
        "  worker-1:\n",
        "  server-1: {address: 192.0.2.99, debian: 12, roles: [server]}\n  worker-1:\n",
        10,
        "the key `server-1` stands twice here, first on line 9",
        "give one of them another name",
    ),
    "a tab as indentation": ("    debian: 13", "\tdebian: 13", 12, "a tab", "spaces only"),
    "a tab after a colon": ("debian: 13", "debian:\t13", 12, "a tab", "spaces only"),
    "no as text": (
        "servers: [ntp.example.net]",
        "zone: NO",
        4,
        "`NO` without quotes is a switch",
        'write "NO"',
    ),
    "on as a switch": ("servers: [ntp.example.net]", "makestep: on", 4, "`on`", "write true or false"),
    "on as a key": ("servers: [", "on: [", 4, "key: `on` without quotes", 'write "on", in quotes'),
    "a pair of ports": (
        "servers: [ntp.example.net]",
        "zone: 22:22",
        4,
        "`22:22` without quotes is a number in base 60",
        'write "22:22", in quotes',
    ),
    "a mode with its zero": (
        "clock:\n    servers: [ntp.example.net]",
        "workspace:\n    folders: {a: {mode: 0644}}",
        4,
        "`0644` with a leading zero is octal",
        'write "0644", in quotes',
    ),
    "a mode that is not even octal": (
        "clock:\n    servers: [ntp.example.net]",
        "workspace:\n    folders: {a: {mode: 0888}}",
        4,
        "`0888`",
        "in quotes",
    ),
    "a mode in YAML 1.2's octal": (
        "clock:\n    servers: [ntp.example.net]",
        "workspace:\n    folders: {a: {mode: 0o644}}",
        4,
        "`0o644`",
        "in quotes",
    ),
    "a number that another reader takes for text": ("debian: 13", "debian: 1_3", 12, "`1_3`", "digits only"),
    "a commit of digits": ("[ntp.example.net]", "[0123456]", 4, "`0123456`", '"0123456"'),
    "a number without end": ("[ntp.example.net]", "[.inf]", 4, "`.inf`", "write a number"),
    "a number of 5000 digits": (
        "debian: 13",
        "debian: 1" + 4999 * "0",
        12,
        "a number of 5000 digits",
        "at most 18",
    ),
    "a key that is a number": ("  worker: {}", "  7: {}", 7, "the key `7` is not text", 'write "7"'),
    "an alias": ("[ntp.example.net]", "*shared", 4, "`*shared` stands for another value", "under a role"),
    "an anchor": ("[ntp.example.net]", "&shared [a]", 4, "`&shared` names a value for reuse", "under a role"),
    "a merge key": ("  worker: {}", "  <<: {}", 7, "a YAML merge key", "under a role"),
    "a tag": ("[ntp.example.net]", "!!python/name:os.system x", 4, "is a YAML tag", "remove it"),
    "a wild card": ("[ntp.example.net]", "*.example.net", 4, "not YAML", 'quoted: "*.example.net"'),
    "a percent sign first": ("[ntp.example.net]", "%H", 4, "not YAML", "quoted"),
    "an IPv6 literal in a list": ("[ntp.example.net]", "[::1, fe80::1]", 4, "not YAML", 'quoted: "::1"'),
    "a backslash in quotes": (
        "[ntp.example.net]",
        '"C:\\srv"',
        4,
        "unknown escape character",
        "double the backslash",
    ),
    "a template's braces": ("[ntp.example.net]", "{{ servers }}", 4, "a key must be a text", "quote text"),
    "a comment that cuts a value": (
        "[ntp.example.net]",
        "ab #cd",
        4,
        "`#cd` is a comment to YAML",
        "quote the whole text",
    ),
    "a list left open": (
        "[ntp.example.net]",
        "[ntp.example.net",
        5,
        "that begins on line 4",
        "close the list with ]",
    ),
    "a quote left open": ("[ntp.example.net]", '"ntp', 4, "not YAML", "a quote is opened"),
    "a colon without a space": ("    debian: 13", "    debian:13", 12, "not YAML", "a colon and a space"),
    "an indentation that fits nowhere": ("    debian: 13", "   debian: 13", 12, "not YAML", "indentation"),
    "a NUL in a text": ("[ntp.example.net]", '["a\\0b"]', 4, "a NUL character", "remove"),
    "a control character": ("ntp.example", "ntp\x07.example", 4, "U+0007", "delete it"),
    "a line end of YAML 1.1": ("ntp.example", "ntp\u2028.example", 4, "U+2028", "delete it"),
    "a second document": ("roles:\n", "---\nroles:\n", 5, "a second document", "one file holds one"),
    "brackets thirty deep": ("[ntp.example.net]", 30 * "[" + 30 * "]", 4, "nested more than 24", "left open"),
    "brackets that overflow the parser": ("[ntp.example.net]", 100_000 * "[", 4, "nest", "left open"),
}


@pytest.mark.parametrize(("was", "now", "line", "what", "remedy"), ROWS.values(), ids=ROWS.keys())
def test_it_is_refused_with_its_line_and_what_to_write(
    good: str, wrong: Callable[..., list[Problem]], was: str, now: str, line: int, what: str, remedy: str
) -> None:
    assert was in good
    said = wrong(good.replace(was, now, 1))
    here = [problem for problem in said if problem.where == f"inventory/lab.yml:{line}"]
    assert any(what in problem.what and remedy in problem.remedy for problem in here), said


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


@pytest.mark.parametrize("row", ["a tab as indentation", "a tab after a colon", "a list left open", "a wild card"])
def test_where_libyaml_is_not_built_in_the_line_and_the_remedy_are_the_same(
    good: str, monkeypatch: pytest.MonkeyPatch, row: str
) -> None:
    was, now, line, what, remedy = ROWS[row]
    monkeypatch.setattr(document, "_LOADER", yaml.SafeLoader)
    with pytest.raises(InputError) as caught:
        document.parse(good.replace(was, now, 1), "inventory/lab.yml")
    (problem,) = caught.value.problems
    assert problem.where == f"inventory/lab.yml:{line}"
    assert what in problem.what
    assert remedy in problem.remedy


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
