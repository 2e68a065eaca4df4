"""Plain text in the folder of stores is refused, whatever it is."""

from __future__ import annotations

import pytest

from ..conftest import Operator
from ..keys import pem
from .repository import committed, found


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
