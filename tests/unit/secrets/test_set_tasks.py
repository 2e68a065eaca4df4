"""secrets.set as typed or piped: what a value becomes, and where it can be seen on its way."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hostmuster.secrets import sshkeys
from hostmuster.secrets.store import Store

from .conftest import Operator
from .terminal import PASSWORD, at_terminal

# A terminal whose echo cannot be turned off, as some consoles of IDEs are.
ECHOING = """
import termios
del termios.tcsetattr
import sys
from hostmuster.tasks.program import main
main(["hostmuster", *sys.argv[1:]])
"""


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_set_reads_standard_input_and_the_line_end_of_one_line_is_not_part_of_it(founded: Operator, end: str) -> None:
    done = founded.run("secrets.set", "db-password", given=f"{PASSWORD}{end}".encode())
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(b"db-password: added, ")
    assert PASSWORD.encode() not in done.stdout + done.stderr
    assert Store.read(founded.path).value("db-password").text() == PASSWORD
    assert founded.run("secrets.set", "db-password", given=b"another").stdout.startswith(b"db-password: replaced, ")


def test_a_value_that_is_no_text_is_named_by_its_secret(founded: Operator) -> None:
    refused = founded.run("secrets.set", "db-password", given=b"\xff\xfe binary \x80")
    assert refused.returncode == 3
    assert refused.stderr.startswith(b"db-password: the secret is not text")
    assert b"base64" in refused.stderr


def test_a_value_of_several_lines_is_kept_as_it_is(founded: Operator) -> None:
    founded.run("secrets.set", "certificate", given=b"line one\nline two\n")
    assert Store.read(founded.path).value("certificate").text() == "line one\nline two\n"


def test_set_at_a_terminal_asks_twice_and_shows_nothing(founded: Operator) -> None:
    code, shown = at_terminal(founded, "secrets.set", "db-password", typed=(PASSWORD, PASSWORD))
    assert (code, PASSWORD in shown) == (0, False)
    assert Store.read(founded.path).value("db-password").text() == PASSWORD


def test_two_different_answers_set_nothing(founded: Operator) -> None:
    code, shown = at_terminal(founded, "secrets.set", "db-password", typed=(PASSWORD, PASSWORD + "?"))
    assert code == 3
    assert "the two values differ" in shown
    assert "db-password" not in Store.read(founded.path).names()


def test_a_terminal_that_would_show_what_is_typed_is_refused(founded: Operator) -> None:
    """Standard input is a terminal of nobody's, and there is no controlling one to turn the echo off at."""
    ours, theirs = os.openpty()
    command = [sys.executable, "-c", ECHOING, "secrets.set", "db-password"]
    answer = subprocess.run(
        command, cwd=founded.project, env=founded.environ, stdin=theirs, capture_output=True, start_new_session=True,
        check=False,
    )  # fmt: skip
    os.close(ours)
    os.close(theirs)
    assert answer.returncode == 3
    assert b"would show what is typed" in answer.stderr


def test_an_operators_key_with_options_is_refused(founded: Operator) -> None:
    public = sshkeys.generate("alice@laptop")[1]
    refused = founded.run("secrets.set", "operator/alice", given=f'command="id" {public}'.encode())
    assert refused.returncode == 3
    assert b"options stand before the key" in refused.stderr


def test_a_value_is_in_no_argument_and_no_environment_while_it_is_set(founded: Operator) -> None:
    command = [sys.executable, "-m", "hostmuster.tasks.program", "secrets.set", "db-password"]
    setting = subprocess.Popen(command, cwd=founded.project, env=founded.environ, stdin=subprocess.PIPE)
    assert setting.stdin is not None
    seen: list[bytes] = []
    for step in range(200):
        if step == 40:
            setting.stdin.write(PASSWORD.encode())
            setting.stdin.close()
        for what in ("cmdline", "environ"):
            try:
                seen.append(Path(f"/proc/{setting.pid}/{what}").read_bytes())
            except OSError:
                continue  # it has ended
        if setting.poll() is not None:
            break
        time.sleep(0.01)
    assert setting.wait(30) == 0
    assert len(seen) > 40
    assert not [one for one in seen if PASSWORD.encode() in one]
