"""A commit with a secret in it does not happen: git itself asks `secrets.guard` before each."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import urllib.parse
from pathlib import Path, PurePosixPath

import pyrage
import pytest

from hostmuster.secrets import ring_text, sshkeys
from hostmuster.secrets.guard import findings, known_values
from hostmuster.secrets.ring import Ring
from hostmuster.secrets.staged import staged
from hostmuster.secrets.store import Store
from hostmuster.secrets.value import Secret

from .conftest import ROOT, Operator
from .keys import pem, ring_key

PASSWORD = 'correct/horse "battery" + staple'


@pytest.fixture
def repository(operator: Operator, store: Store) -> Operator:
    """The project is a folder of a work tree whose hook is the one that the manual gives."""
    store = store.set("db-password", Secret(PASSWORD))
    store.set("token-key", ring_text.written(Ring(ring_key("key-1"))), "rsa-signing-ring")
    top = operator.project.parent
    git(operator, "init", "--quiet", str(top))
    hook = top / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nexec {sys.executable} -m hostmuster.tasks.program secrets.guard --project project\n")
    hook.chmod(0o755)
    (top / ".gitignore").write_text("home/\n")
    return operator


def git(operator: Operator, *argv: str) -> subprocess.CompletedProcess[str]:
    who = ["-c", "user.name=ada", "-c", "user.email=ada@example.org"]
    environ = {**operator.environ, "GIT_CONFIG_NOSYSTEM": "1", "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        ["git", *who, *argv], cwd=operator.project.parent, env=environ, capture_output=True, text=True, check=False
    )


def committed(operator: Operator, path: str, content: str | bytes) -> str:
    """What the commit said; empty when it was made."""
    file = operator.project / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    git(operator, "add", "--force", str(file))
    made = git(operator, "commit", "--quiet", "--message", "a change")
    assert "Traceback" not in made.stderr
    return made.stderr if made.returncode else ""


def found(operator: Operator, path: str, content: str | bytes) -> str:
    """What the hook's command would say of a staged file, asked in this process."""
    file = operator.project / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    git(operator, "add", "--force", str(file))
    known, closed = known_values(operator.path.parent)
    assert closed == []
    folder = PurePosixPath("project/secrets")
    return "\n".join(str(one) for each in staged(operator.project.parent) for one in findings(each, folder, known))


def test_the_store_and_plain_files_are_committed(repository: Operator) -> None:
    git(repository, "add", "--all")
    made = git(repository, "commit", "--message", "the store")
    assert made.returncode == 0, made.stderr
    assert "project/secrets/lab.yml" in git(repository, "ls-files").stdout


ENCODED = {
    "as it is": PASSWORD,
    "in a line of a file": f"first\nsecond\npassword: {PASSWORD}\n",
    "as JSON": json.dumps({"password": PASSWORD}),
    "as JSON in JSON": json.dumps(json.dumps({"password": PASSWORD})),
    "as a URL": "postgres://app:" + urllib.parse.quote(PASSWORD, safe="") + "@db/app",
    "in base64": base64.b64encode(PASSWORD.encode()).decode(),
    "in base64, behind a user's name": base64.b64encode(f"app:{PASSWORD}".encode()).decode(),
    "in hexadecimal": PASSWORD.encode().hex(),
}


@pytest.mark.parametrize("form", ENCODED)
def test_a_known_value_is_found_anywhere_by_file_and_line_and_is_not_shown(repository: Operator, form: str) -> None:
    said = found(repository, "docs/notes.txt", ENCODED[form])
    line = 3 if "line of a file" in form else 1
    assert f"project/docs/notes.txt:{line}: the value of db-password (lab.yml) stands there" in said
    assert PASSWORD not in said


def test_a_commit_with_a_known_value_is_not_made(repository: Operator) -> None:
    said = committed(repository, "docs/notes.txt", PASSWORD)
    assert "project/docs/notes.txt:1: the value of db-password (lab.yml) stands there" in said
    assert git(repository, "rev-list", "--all").stdout == ""


@pytest.mark.parametrize(
    "content", [pem(), json.dumps({"private_key": pem()}), base64.b64encode(pem().encode()), pem().encode("utf-16")]
)
def test_a_signing_key_is_found_in_any_text(repository: Operator, content: str | bytes) -> None:
    said = found(repository, "config.txt", content)
    assert "the value of token-key:key-1 (lab.yml)" in said
    assert pem().splitlines()[2] not in said


def test_a_value_in_a_binary_file_and_in_a_files_name_is_found(repository: Operator) -> None:
    said = found(repository, "data.bin", b"\0\xff" + PASSWORD.encode() + b"\0")
    assert "project/data.bin:1" in said
    git(repository, "rm", "--cached", "--quiet", "project/data.bin")
    assert "a file's name: the value of api-token" in found(repository, "battery staple.txt", "x")


def test_only_what_is_staged_counts(repository: Operator) -> None:
    (repository.project / "scratch.txt").write_text(PASSWORD)
    assert committed(repository, "plain.txt", "nothing to see") == ""
    (repository.project / "plain.txt").write_text(PASSWORD)  # changed again, and not staged
    assert committed(repository, "other.txt", "nothing here") == ""
    said = git(repository, "commit", "--all", "--message", "now it is")
    assert "project/plain.txt:1: the value of db-password" in said.stderr


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("prod.env", "DB_PASSWORD=whatever it is\n", "not a mapping of secrets"),
        ("prod.yml", "db-password: whatever it is\n", "no `sops` section"),
        ("key.pem", pem(1), "no ciphertext: not a mapping"),
        ("key.bin", b"\x00\xff\xfe", "neither a SOPS file"),
        ("conflict.yml", "<<<<<<< ours\na: 1\n=======\na: 2\n>>>>>>> theirs\n", "merge conflict markers"),
    ],
)
def test_plain_text_in_the_stores_folder_is_refused_whatever_it_is(
    repository: Operator, name: str, content: str | bytes, said: str
) -> None:
    refused = found(repository, f"secrets/deep/{name}", content)
    assert f"project/secrets/deep/{name}" in refused
    assert said in refused
    assert "whatever it is" not in refused


def test_a_value_typed_into_the_store_is_refused_by_line(repository: Operator) -> None:
    text = repository.path.read_text()
    typed = text.replace("    api-token:\n", "    typed:\n        value: by hand\n    api-token:\n")
    line = typed[: typed.index("by hand")].count("\n") + 1
    said = committed(repository, "secrets/another.yml", typed)
    assert f"another.yml:{line}: typed: the value stands here in clear" in said


def test_rules_that_would_leave_everything_in_clear_do_not_help(repository: Operator) -> None:
    loose = (
        "secrets:\n    a:\n        value: by hand\n"
        "sops:\n    age:\n        - recipient: x\n          enc: y\n    lastmodified: 'now'\n"
        "    mac: ENC[AES256_GCM,data:x,iv:x,tag:x,type:str]\n    encrypted_regex: ^none$\n"
    )
    said = found(repository, "secrets/elsewhere/loose.yml", loose)
    assert "loose.yml:3: secrets.a.value stands there in clear" in said


def test_age_files_and_a_readme_are_welcome_in_the_stores_folder(repository: Operator) -> None:
    assert found(repository, "secrets/README.md", "what is here") == ""
    assert found(repository, "secrets/tape.age", b"age-encryption.org/v1\n-> X25519 \xff\n") == ""


def test_who_cannot_open_the_store_is_told_so_and_may_commit(repository: Operator) -> None:
    repository.age_file.unlink()
    assert committed(repository, "docs/notes.txt", PASSWORD) == ""
    said = repository.run("secrets.guard")
    assert said.returncode == 0
    assert b"not searched for: values of lab.yml: no identity here opens this store" in said.stderr


def test_a_store_that_was_tampered_with_is_no_store_to_search_by(repository: Operator) -> None:
    text = repository.path.read_text()
    repository.path.write_text(text.replace("kind_unencrypted: opaque", "kind_unencrypted: fernet", 1))
    assert "MAC is wrong" in committed(repository, "plain.txt", "nothing")


def test_a_folder_that_is_no_work_tree_is_refused(operator: Operator, store: Store) -> None:
    refused = operator.run("secrets.guard")
    assert refused.returncode == 3
    assert b"not a git repository" in refused.stderr


def test_keys_of_other_people_are_not_taken_for_ours(repository: Operator) -> None:
    """Every OpenSSH key begins as every other does, and ends in the same padding."""
    theirs = sshkeys.generate("hostmuster-lab-automation-key")[0].text()
    said = committed(repository, "tests/fixture.key", theirs)
    assert "tests/fixture.key:1: a private key stands there" in said
    assert "the value of" not in said


def test_an_age_key_is_found_whoever_it_belongs_to(repository: Operator) -> None:
    said = committed(repository, "notes/age.txt", f"# public key: age1x\n{pyrage.x25519.Identity.generate()}\n")
    assert "notes/age.txt:2: an age key stands there" in said
    assert "AGE-SECRET" not in said


def test_words_about_private_keys_are_no_keys(repository: Operator) -> None:
    text = 'if text.startswith("-----BEGIN PRIVATE KEY-----"):\n    raise NotHere\nAGE-SECRET-KEY-1...\n'
    assert committed(repository, "code.py", text) == ""


def test_the_hook_of_pre_commit_runs_this_command() -> None:
    import yaml

    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert hook["entry"] == "hostmuster secrets.guard"
    assert (hook["pass_filenames"], hook["always_run"]) == (False, True)
    assert Path(sys.executable).with_name("hostmuster").exists()
