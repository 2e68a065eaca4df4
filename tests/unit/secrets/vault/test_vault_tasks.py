"""The secrets.* commands as typed, on a store in a Vault; and the pre-commit check that knows its values."""

from __future__ import annotations

import json
import subprocess

from hostmuster.secrets import ring_text
from tests.unit.secrets.vault.conftest import VaultOperator
from tests.unit.secrets.vault.server import TOKEN, VaultServer

VALUE = b"correct horse battery staple"


def test_set_show_and_list(founded: VaultOperator) -> None:
    done = founded.run("secrets.set", "db-password", given=VALUE)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(b"db-password: added, ")
    shown = founded.run("secrets.show", "db-password", "--reveal")
    assert shown.stdout == VALUE
    assert founded.run("secrets.show", "db-password").returncode == 3
    made = founded.run("secrets.set", "signing", "--kind", "rsa-signing-ring", "--generate")
    assert made.returncode == 0, made.stderr
    listed = json.loads(founded.run("secrets.list", "--json").stdout)
    assert {name: one["kind"] for name, one in listed["secrets"].items()} == {
        "automation-key": "ssh-key",
        "db-password": "opaque",
        "signing": "rsa-signing-ring",
        "ssh-ca": "ssh-ca",
    }
    assert ring_text.parsed(founded.opened().value("signing").text(), "signing").current.kid == "signing-1"
    assert not (founded.project / "secrets").exists()


def test_nothing_that_is_printed_has_token_or_value(founded: VaultOperator, vault: VaultServer) -> None:
    said = [founded.run("secrets.set", "db-password", given=VALUE), founded.run("secrets.list")]
    vault.say(400, VALUE.decode())
    said += [founded.run("secrets.set", "db-password", given=VALUE), founded.run("secrets.show", "nothing")]
    for one in said:
        assert VALUE not in one.stdout + one.stderr
        assert TOKEN.encode() not in one.stdout + one.stderr


def test_a_value_of_it_is_not_committed(founded: VaultOperator, vault: VaultServer) -> None:
    founded.run("secrets.set", "db-password", given=VALUE)
    for argv in (["init", "-q"], ["add", "inventory/lab.yml"]):
        subprocess.run(["git", *argv], cwd=founded.project, env=founded.environ, check=True)
    assert founded.run("secrets.guard").returncode == 0
    (founded.project / "notes.txt").write_bytes(b"password: " + VALUE)
    subprocess.run(["git", "add", "notes.txt"], cwd=founded.project, env=founded.environ, check=True)
    refused = founded.run("secrets.guard")
    assert refused.returncode == 3
    assert b"notes.txt:1: the value of db-password (the Vault of lab) stands there" in refused.stderr
    vault.say(503, "Vault is sealed")
    closed = founded.run("secrets.guard")
    assert b"not searched for: values of the Vault of lab: the Vault is sealed" in closed.stderr
