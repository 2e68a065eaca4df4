"""Values of the store, and keys of anybody, are found in any file and form, and are not shown."""

from __future__ import annotations

import base64
import json
import urllib.parse

import pyrage
import pytest

from hostmuster.secrets import sshkeys

from ..conftest import Operator
from ..keys import pem
from .repository import PASSWORD, committed, found, git

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
