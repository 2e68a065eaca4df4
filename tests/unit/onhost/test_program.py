"""Programs: every word arrives as it was sent, and a change carries what it must."""

from __future__ import annotations

import base64
import subprocess

from hypothesis import given, settings
from hypothesis import strategies as st

from hostmuster.onhost import script
from hostmuster.onhost.program import change, line
from hostmuster.resources.step import Arm, Owe, Put, PutLink, Run, Sent

WORDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40)


def functions() -> str:
    """The script without its last lines, which begin to obey."""
    return script.text().partition('if [ "$(id -u)" != 0 ]')[0]


@settings(max_examples=60, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=5))
def test_every_word_arrives_as_it_was_sent(words: list[str]) -> None:
    program = f"""{functions()}
    verb() {{ for word; do printf '%s\\0' "$word"; done; }}
    obey() {{ "$@"; }}
    finish() {{ exit 0; }}
    program=$(cat) && main"""
    said = subprocess.run(["dash", "-c", program], input=line("verb", *words).encode(), capture_output=True, check=True)
    assert said.stdout.decode().split("\0")[:-1] == words


def test_the_arming_step_stands_where_the_plan_has_it_and_brings_the_script() -> None:
    steps: list[Sent] = [Run(("apt-get", "install", "x")), Arm(), PutLink("/etc/a", "b"), Owe("x.service")]
    lines = change("item", "0a1b", steps, arm_s=60).splitlines()
    assert lines[:5] == ["begin", "run 300 apt-get install x", "arm 60", "link /etc/a b", "owe x.service restart"]
    commit, item, transaction, brought = lines[5].split(" ")
    assert (commit, item, transaction) == ("commit", "item", "0a1b")
    assert base64.b64decode(brought).decode() == script.text()


def test_a_change_that_is_not_armed_brings_no_script() -> None:
    assert change("item", "0a1b", [PutLink("/etc/a", "b")]).splitlines()[-1] == "commit item 0a1b"


def test_the_undoing_stands_before_its_run() -> None:
    lines = change("item", "0a1b", [Run(("sysctl", "-w", "a=2"), undo=("sysctl", "-w", "a=1"))]).splitlines()
    assert lines[1:3] == ["undo sysctl -w a=1", "run 300 sysctl -w a=2"]


def test_an_empty_file_is_sent_as_one() -> None:
    assert change("item", "0a1b", [Put("/etc/a", b"", "0644", "root", "root")]).splitlines()[1].split(" ")[5] == "-"


def test_no_content_and_no_password_stands_in_the_command() -> None:
    mark = script.marker()
    assert mark in script.command(mark)
    assert len(script.command(mark)) < 300
    assert "sudo -n " in script.command(mark)
    assert "sudo -S " in script.command(mark, password=True)
    assert "sudo" not in script.command(mark, sudo=False, password=True)
