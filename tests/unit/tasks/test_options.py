"""Options and arguments: what they are read as, and which are refused for what they would not do."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from hostmuster.errors import Refused
from hostmuster.tasks import namespace
from hostmuster.tasks.job import host_list
from hostmuster.tasks.program import CommandLine
from tests.unit.tasks.typed import ROOT, hostmuster


def test_a_host_named_twice_is_one_host() -> None:
    assert host_list("b, a,b") == ("b", "a")
    assert host_list(None) is None
    with pytest.raises(Refused):
        host_list("")


@pytest.mark.parametrize(
    ("words", "host"),
    [
        (["bootstrap"], None),
        (["bootstrap", "web-1"], "web-1"),
        (["bootstrap", "--yes", "web-1", "--json"], "web-1"),
        (["bootstrap", "--fleet", "shop", "web-1"], "web-1"),
        (["bootstrap", "--fleet=shop", "web-1"], "web-1"),
        (["--list-depth", "2", "bootstrap", "check"], None),
    ],
)
def test_bootstrap_takes_a_host_as_its_argument_or_none(words: list[str], host: str | None) -> None:
    assert parsed(*words).tasks[0].as_kwargs["host"] == host


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(
    ("option", "told"),
    [("--dry", "hostmuster check"), ("-R", "hostmuster check")]
    + [
        (one, f"No idea what '{one}'")
        for one in ("--pty", "--prompt-for-sudo-password", "-e", "-d", "-T", "-f", "--hide")
    ],
)
def test_an_option_that_would_not_do_what_it_says_is_refused(option: str, told: str, after: bool) -> None:
    with pytest.raises(Refused, match=told):
        parsed(*(("apply", option) if after else (option, "apply")))


def test_help_offers_the_options_that_are_taken_and_no_others() -> None:
    offered = hostmuster("--help").stdout.partition("Core options:")[2].partition("Subcommands")[0]
    assert sorted(re.findall(r"--[a-z-]+", offered)) == [
        "--complete", "--help", "--list", "--list-depth", "--list-format", "--print-completion-script", "--version",
    ]  # fmt: skip


def parsed(*words: str) -> CommandLine:
    """The command line as it is before a task is begun."""
    program = CommandLine(namespace=namespace)
    program.create_config()
    program.parse_core(["hostmuster", *words])
    program.parse_collection()
    program.parse_tasks()
    return program


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([b"--fleet", b"l\xe4b"], "--fleet: the fleet's name is not UTF-8"),
        ([b"--limit", b"web-1,w\xe4b"], "--limit: 'w\\udce4b' is not UTF-8"),
        ([b"--item", b"\xe4"], "--item: '\\udce4' is not UTF-8"),
        ([b"--out", b"\xe4"], "--out: "),
        ([], "$HOSTMUSTER_FLEET: the fleet's name is not UTF-8"),
    ],
)
def test_what_is_not_utf_8_is_refused_by_the_option_it_was_given_with(words: list[bytes], told: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hostmuster.tasks.program", "check", *words],
        cwd=ROOT,
        env={**os.environb, b"HOSTMUSTER_FLEET": b"lab" if words else b"l\xe4b"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert done.stderr.startswith(told)
