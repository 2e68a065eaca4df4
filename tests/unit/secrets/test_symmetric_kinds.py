"""Fernet keys and shared credentials: what is one, what only looks like one, and why (K1, K6, K7)."""

from __future__ import annotations

import base64
import secrets

import pytest
from cryptography.fernet import Fernet

from hostmuster.errors import InputError
from hostmuster.secrets.kinds.catalogue import KINDS
from hostmuster.secrets.placeholder import placeholder, regularity
from hostmuster.secrets.value import Secret

FERNET, CREDENTIAL, OPAQUE = KINDS["fernet"], KINDS["shared-credential"], KINDS["opaque"]
RAW = bytes.fromhex("fbff13a1c8d97b2e4405f09dbb61cc02d18fa9e6377a5510b42c98ee6103fdfe")
KEY = base64.urlsafe_b64encode(RAW).decode()


def in_base64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode()


NO_FERNET_KEY = {
    "64 hexadecimal digits": (RAW.hex(), "64 hexadecimal digits"),
    "24 bytes in base64": (base64.b64encode(RAW[:24]).decode(), "32 characters that decode to 24 bytes"),
    "33 bytes": (in_base64(RAW + b"x"), "decode to 33 bytes"),
    "without its =": (KEY.rstrip("="), "43 characters: the `=` at the end is lost"),
    "base64 of the key": (base64.b64encode(KEY.encode()).decode(), "once too often"),
    "Python's bytes": (f"b'{KEY}'", "Python's way to write bytes"),
    "standard base64": (base64.b64encode(RAW).decode(), "standard base64"),
    "a placeholder": ("your-32-byte-encryption-key-here", "a placeholder or default"),
    "a sentence of a sample": ("cryptography_not_found_storing_passwords_in_plain_text", "a placeholder or default"),
    "angle brackets": ("<your fernet key>", "a placeholder: brackets"),
    "a newline at the end": (KEY + "\n", "a blank or line end before or after"),
    "a blank before": (" " + KEY, "a blank or line end before or after"),
    "no base64 at all": ("a!b?c*d" * 5, "35 characters that are no base64"),
    "all zeros": (in_base64(bytes(32)), "one character or byte, repeated"),
    "counting bytes": (in_base64(bytes(range(32))), "count up or down"),
    "text of 32 characters": (in_base64(b"correct horse battery staple 123"), "32 bytes of text"),
    "eight bytes four times": (in_base64(RAW[:8] * 4), "a short piece, repeated"),
    "the specification's": ("cw_0x689RpI-jtRR7oE8h0eQsKImvJapLeSbXpwF4e4=", "published documentation"),
    "sample files'": ("46BKJoQYlPPOexq0OhDZnIlNepKFf87WFwLbfzqDDho=", "published documentation"),
    "a manual's": ("81HqDtbqAywKSOumSha3BhWNOdQ26slT6K0YaZeZyPs=", "published documentation"),
}


@pytest.mark.parametrize("case", NO_FERNET_KEY)
def test_what_is_no_fernet_key_is_named_for_what_it_is_and_not_shown(case: str) -> None:
    value, said = NO_FERNET_KEY[case]
    with pytest.raises(InputError) as caught:
        FERNET.check(Secret(value), "ai-key")
    assert said in caught.value.problems[0].what
    assert value.strip() not in str(caught.value)


@pytest.mark.parametrize("key", [KEY, base64.b64encode(RAW).decode().replace("+", "-").replace("/", "_")])
def test_a_fernet_key_is_taken_as_it_is(key: str) -> None:
    assert FERNET.check(Secret(key), "ai-key").value.text() == key
    assert Fernet(key).decrypt(Fernet(key).encrypt(b"row")) == b"row"


def test_a_fernet_key_is_not_swapped_for_another() -> None:
    other = Secret(Fernet.generate_key())
    assert "could not be read any more" in str(FERNET.obstacle(Secret(KEY), other))
    assert FERNET.obstacle(Secret(KEY), Secret(KEY)) is None


NO_CREDENTIAL = {
    "CHANGE_ME": "a placeholder or default",
    "dev-secret-key-change-me-in-production": "a placeholder or default",
    "<your-hmac-key>": "a placeholder: brackets",
    "{{ renderer_credential }}": "a blank",
    "${RENDER_SERVICE_CREDENTIAL:-renderer-service}": "a placeholder: brackets",
    "your-key-here": "a placeholder or default",
    "your-own-very-long-renderer-token-here": "a placeholder or default",
    "x" * 32: "one character or byte, repeated",
    "0" * 64: "one character or byte, repeated",
    "0123456789abcdef" * 2: "a short piece, repeated",
    "12345678901234567890123456789012": "a short piece, repeated",
    "abcdefghijklmnopqrstuvwxyz0123456789": "count up or down",
    "correcthorsebatterystaple": "25 characters where 32 are the least",
    "aabbaabbbaabababbabaabbbabababba": "too few different characters",
    KEY[:31]: "31 characters where 32 are the least",
    KEY + "\n": "a blank or line end before or after",
    " " + KEY: "a blank or line end before or after",
    KEY[:20] + " " + KEY[20:]: "a blank, a control character or one beyond ASCII",
    KEY[:20] + "ü" + KEY[20:]: "a blank, a control character or one beyond ASCII",
    KEY[:20] + "\t" + KEY[20:]: "a blank, a control character or one beyond ASCII",
}


@pytest.mark.parametrize("value", NO_CREDENTIAL)
def test_a_weak_or_placeholder_credential_is_refused_with_the_reason_and_not_shown(value: str) -> None:
    with pytest.raises(InputError) as caught:
        CREDENTIAL.check(Secret(value), "renderer")
    assert NO_CREDENTIAL[value] in caught.value.problems[0].what
    assert value.strip() not in str(caught.value)


@pytest.mark.parametrize(
    "value", [RAW.hex()[:32], RAW.hex(), KEY, in_base64(RAW)[:32], "correct-horse-battery-staple-juice-41"]
)
def test_a_strong_credential_is_taken_as_it_is(value: str) -> None:
    assert CREDENTIAL.check(Secret(value), "renderer").value.text() == value


@pytest.mark.parametrize("value", ["changeme", "CHANGE_ME", "<your token>", "{{ token }}", "pass-word"])
def test_text_that_is_nothing_but_a_placeholder_is_refused_without_the_value(value: str) -> None:
    with pytest.raises(InputError) as refused:
        OPAQUE.check(Secret(value), "token")
    assert "placeholder" in str(refused.value)
    assert value not in str(refused.value)


@pytest.mark.parametrize("value", ["http://hooks.example.net:8787/x", "default route 7f3a", "pass<word>9"])
def test_text_of_any_shape_may_hold_such_a_word(value: str) -> None:
    assert OPAQUE.check(Secret(value), "token").value.text() == value


def test_random_values_of_every_usual_alphabet_are_no_placeholders() -> None:
    for _ in range(2000):
        for value in (secrets.token_hex(16), secrets.token_urlsafe(32)):
            assert placeholder(value) is None
            assert CREDENTIAL.check(Secret(value), "renderer").value.text() == value
        assert regularity(secrets.token_bytes(32)) is None


@pytest.mark.parametrize("kind", ["opaque", "fernet", "shared-credential", "rsa-signing-ring"])
def test_what_a_kind_generates_it_accepts_and_it_is_new_each_time(kind: str) -> None:
    generate = KINDS[kind].generate
    assert generate is not None
    made = [generate("some-name") for _ in range(2)]
    assert [KINDS[kind].check(value, "some-name").value for value in made] == made
    assert made[0] != made[1]


@pytest.mark.parametrize(
    ("kind", "rotation"),
    [("rsa-signing-ring", "ring"), ("fernet", "migrate"), ("shared-credential", "swap"), ("opaque", "rolling")],
)
def test_each_kind_is_replaced_in_its_own_way(kind: str, rotation: str) -> None:
    assert KINDS[kind].rotation == rotation
