"""secrets.init, secrets.show and secrets.list as typed: what they say, what they never say, how they end."""

from __future__ import annotations

import json
import os

import pytest

from hostmuster.secrets import sshkeys
from hostmuster.secrets.store import Store

from .conftest import Operator
from .terminal import PASSWORD, at_terminal


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


def test_a_store_that_is_a_pipe_is_refused_and_not_waited_for(founded: Operator) -> None:
    founded.path.unlink()
    os.mkfifo(founded.path)
    refused = founded.run("secrets.list")
    assert refused.returncode == 3
    assert b"secrets/lab.yml: the store is no file" in refused.stderr


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
