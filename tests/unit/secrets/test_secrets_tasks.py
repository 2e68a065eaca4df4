"""The secrets.* commands as typed: what they say, what they never say, how they end."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hostmuster.secrets import sshkeys
from hostmuster.secrets.store import Store

from .conftest import Operator

PASSWORD = "correct horse battery staple"

# A terminal whose echo cannot be turned off, as some consoles of IDEs are.
ECHOING = """
import termios
del termios.tcsetattr
import sys
from hostmuster.tasks.program import main
main(["hostmuster", *sys.argv[1:]])
"""


def at_terminal(operator: Operator, *argv: str, typed: tuple[str, ...] = ()) -> tuple[int, str]:
    """The command with a terminal of its own; each answer is typed once the prompt before it has come."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(operator.project)
        command = [sys.executable, "-m", "hostmuster.tasks.program", *argv]
        os.execve(sys.executable, command, operator.environ)  # noqa: S606 - a terminal of its own needs a fork
    shown = b""
    answers = list(typed)
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # the other end closed
            break
        if not piece:
            break
        shown += piece
        if answers and shown.endswith(b": "):
            os.write(terminal, answers.pop(0).encode() + b"\n")
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.decode().replace("\r\n", "\n")


def test_init_says_what_it_made(operator: Operator) -> None:
    made = operator.run("secrets.init")
    assert made.returncode == 0
    for word in (b"age.txt: made", b"lab.yml: made", b"ssh-ca: made", b"automation-key: made"):
        assert word in made.stdout
    again = operator.run("secrets.init")
    assert again.returncode == 3
    assert b"a store already" in again.stderr


def test_init_makes_no_store_for_a_fleet_that_nobody_declares(operator: Operator) -> None:
    refused = operator.run("secrets.init", "--fleet", "exampel")
    assert refused.returncode == 3
    assert b"there is no fleet `exampel`" in refused.stderr
    assert b"did you mean `example`? name one of: example, lab, other" in refused.stderr
    assert not operator.path.parent.exists()
    assert not operator.age_file.exists()


def test_init_takes_several_recipients(operator: Operator) -> None:
    keys = [sshkeys.generate(name)[1] for name in ("alice", "bob")]
    made = operator.run("secrets.init", "--fleet", "example", "--recipient", keys[0], "--recipient", keys[1])
    assert made.returncode == 0, made.stderr
    assert Store.read(operator.path.with_name("example.yml")).recipients == tuple(
        key[: key.rindex(" ")] for key in keys
    )


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


def test_a_store_that_is_a_pipe_is_refused_and_not_waited_for(founded: Operator) -> None:
    founded.path.unlink()
    os.mkfifo(founded.path)
    refused = founded.run("secrets.list")
    assert refused.returncode == 3
    assert b"secrets/lab.yml: the store is no file" in refused.stderr


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


def test_show_writes_to_a_terminal_and_refuses_a_pipe(founded: Operator) -> None:
    founded.run("secrets.set", "db-password", given=PASSWORD.encode())
    assert at_terminal(founded, "secrets.show", "db-password") == (0, PASSWORD + "\n")
    piped = founded.run("secrets.show", "db-password")
    assert (piped.returncode, piped.stdout) == (3, b"")
    assert b"--reveal" in piped.stderr
    assert PASSWORD.encode() not in piped.stderr
    revealed = founded.run("secrets.show", "db-password", "--reveal")
    assert (revealed.returncode, revealed.stdout) == (0, PASSWORD.encode())


def test_an_operators_key_is_shown_anywhere(founded: Operator) -> None:
    public = sshkeys.generate("alice@laptop")[1]
    assert founded.run("secrets.set", "operator/alice", given=public.encode()).returncode == 0
    assert founded.run("secrets.show", "operator/alice").stdout.decode().strip() == public


def test_an_operators_key_with_options_is_refused(founded: Operator) -> None:
    public = sshkeys.generate("alice@laptop")[1]
    refused = founded.run("secrets.set", "operator/alice", given=f'command="id" {public}'.encode())
    assert refused.returncode == 3
    assert b"options stand before the key" in refused.stderr


def test_list_shows_name_kind_and_fingerprint(founded: Operator) -> None:
    founded.run("secrets.set", "db-password", given=PASSWORD.encode())
    shown = founded.run("secrets.list").stdout.decode()
    store = Store.read(founded.path)
    for name in store.names():
        (row,) = [line.split() for line in shown.splitlines() if line.startswith(f"{name} ")]
        assert row[1:] == [store.entries[name].kind.name, store.fingerprint(name)]


def test_list_as_json_has_the_contracts_shape(founded: Operator) -> None:
    document = json.loads(founded.run("secrets.list", "--json").stdout)
    store = Store.read(founded.path)
    assert document == {
        "generation": None,
        "secrets": {
            name: {"kind": store.entries[name].kind.name, "fingerprint": store.fingerprint(name), "phase": None}
            for name in ("ssh-ca", "automation-key")
        },
        "hosts": {},
    }


def test_list_without_a_key_shows_what_is_public_and_says_it_is_not_verified(founded: Operator) -> None:
    founded.run("secrets.set", "db-password", given=PASSWORD.encode())
    founded.age_file.rename(founded.age_file.with_suffix(".away"))
    shown = founded.run("secrets.list", "--json")
    secrets = json.loads(shown.stdout)["secrets"]
    assert shown.returncode == 0
    assert b"not verified: " in shown.stderr
    assert secrets["ssh-ca"]["fingerprint"].startswith("SHA256:")
    assert secrets["db-password"]["fingerprint"] is None


def test_list_of_a_store_that_was_tampered_with_is_refused(founded: Operator) -> None:
    text = founded.path.read_text()
    founded.path.write_text(text.replace("kind_unencrypted: ssh-ca", "kind_unencrypted: ssh-key"))
    shown = founded.run("secrets.list")
    assert (shown.returncode, shown.stdout) == (3, b"")
    assert b"MAC is wrong" in shown.stderr


@pytest.mark.parametrize(
    ("argv", "given"),
    [
        (("secrets.set", "Bad_Name"), b"some value"),
        (("secrets.set", "empty"), b""),
        (("secrets.set", "new", "--kind", "fresh"), b"some value"),
        (("secrets.set",), b"some value"),
        (("secrets.show", "nothing"), b""),
        (("secrets.list", "--fleet", "absent"), b""),
        (("secrets.init", "--recipient", "nonsense", "--fleet", "other"), b""),
    ],
    ids=lambda argv: " ".join(argv) if isinstance(argv, tuple) else "",
)
def test_bad_input_is_refused_and_nothing_is_touched(founded: Operator, argv: tuple[str, ...], given: bytes) -> None:
    before = {path: path.read_bytes() for path in founded.path.parent.iterdir()}
    refused = founded.run(*argv, given=given)
    assert refused.returncode == 3, refused
    assert b"Traceback" not in refused.stderr
    assert {path: path.read_bytes() for path in founded.path.parent.iterdir()} == before


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
