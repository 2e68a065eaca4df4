"""Every value a consumer is given comes out of that consumer's real parser as it went in."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hostmuster.env import systemd
from hostmuster.env.file import Values, refusals, render
from tests.unit.env import systemd_parser

ODD: Values = {
    "QUOTED": '"x y"',
    "COMMENT": "5434   # host port",
    "HASH": "abc#123",
    "DOLLAR": "a$B ${HOME} $(id) pa$$word",
    "BACKSLASH": "C:\\srv\\bin\\",
    "JSON": '{"k":"v"}',
    "OPEN": '"open',
    "TICKS": "`id`",
    "APOSTROPHE": "it's",
    "PADDED": "  x y  ",
    "EMPTY": "",
    "PERCENT": "100%F %H %%",
    "BASE64": "ab12cd==",
    "PEM": "-----BEGIN KEY-----\nMIIEvQ\nkqhkiGw==\n-----END KEY-----\n",
    "CARRIAGE": "a\r\nb\r",
    "UMLAUT": "Zürich 東京 \ufeff",
    "BELL": "\x07\x1b[0m\x7f",
    "TILDE": "~root:~/x",
    "GLOB": "* ? [a-z]",
    "NUMBER": 8080,
    "NEGATIVE": -1,
    "ON": True,
    "OFF": False,
}
TEXT: dict[str, str] = {name: str(value) for name, value in ODD.items()} | {"ON": "true", "OFF": "false"}

anything = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=60)
names = st.from_regex(r"V_[A-Za-z0-9_]{0,8}", fullmatch=True)


def shell_reads(shell: str, path: Path) -> dict[str, str]:
    """The exported variables of a shell that read the file with `.`."""
    done = subprocess.run(
        ["env", "-i", shell, "-c", '. "$1"; exec env -0', shell, str(path)], capture_output=True, check=True
    )
    assert done.stderr == b""
    pairs = (part.partition(b"=") for part in done.stdout.split(b"\0") if part)
    own = {"PWD", "SHLVL", "_", "OLDPWD"}
    return {name.decode(): value.decode() for name, _, value in pairs if name.decode() not in own}


def test_systemd_reads_back_every_trap_at_once(tmp_path: Path) -> None:
    file = tmp_path / "app.env"
    file.write_bytes(render("systemd", ODD))
    assert systemd_parser.read(file) == TEXT


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_a_shell_reads_back_every_trap_at_once(shell: str, tmp_path: Path) -> None:
    file = tmp_path / "app.env"
    file.write_bytes(render("shell", ODD))
    assert shell_reads(shell, file) == TEXT


@settings(max_examples=300, deadline=None)
@given(values=st.dictionaries(names, anything, min_size=1, max_size=5))
def test_systemd_reads_back_whatever_a_process_can_hold(
    values: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    refused = {said.split()[0] for said in refusals("systemd", values)}
    kept = {name: value for name, value in values.items() if name not in refused}
    file = tmp_path_factory.getbasetemp() / "systemd.env"
    file.write_bytes(render("systemd", kept))
    assert systemd_parser.read(file) == kept
    assert {name for name, value in values.items() if systemd_refuses(value, file)} == refused


def systemd_refuses(value: str, file: Path) -> bool:
    """Whether its parser, given the value as we would write it, takes the file for none."""
    file.write_text(systemd.line("V", value), newline="")
    try:
        return systemd_parser.read(file) != {"V": value}
    except ValueError:
        return True


def test_systemd_is_given_every_character_that_it_takes_and_no_other(tmp_path: Path) -> None:
    edges = [
        0xFDCF,
        0xFDD0,
        0xFDEF,
        0xFDF0,
        0xFFFD,
        0xFFFE,
        0xFFFF,
        0x10000,
        0x1FFFE,
        0x1FFFF,
        0x20000,
        0x10FFFD,
        0x10FFFF,
    ]
    for number in edges:
        refused = bool(list(refusals("systemd", {"V": chr(number)})))
        assert refused == systemd_refuses(chr(number), tmp_path / "one.env"), hex(number)


@settings(max_examples=50, deadline=None)
@given(values=st.dictionaries(names, anything, min_size=1, max_size=5))
def test_a_shell_reads_back_whatever_a_process_can_hold(
    values: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.getbasetemp() / "shell.env"
    file.write_bytes(render("shell", values))
    for shell in ("sh", "bash"):
        assert shell_reads(shell, file) == values


def test_a_file_has_no_byte_order_mark_and_ends_each_line_with_lf() -> None:
    for consumer in ("systemd", "docker", "shell"):
        body = render(consumer, {"A": "x", "B": "y"})
        assert body.startswith((b"A=", b"export A="))
        assert (body.count(b"\n"), body[-1:], b"\r" in body) == (2, b"\n", False)


def test_docker_gets_values_without_any_quoting() -> None:
    values: Values = {"NOTE": "two words", "EMPTY": "", "PAD": "  x y  ", "Q": '"x"', "W": "C:\\srv"}
    assert render("docker", values).decode() == 'NOTE=two words\nEMPTY=\nPAD=  x y  \nQ="x"\nW=C:\\srv\n'
