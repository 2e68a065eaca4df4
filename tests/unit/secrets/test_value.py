"""A secret does not come out unless it is asked to."""

from __future__ import annotations

import copy
import logging
import pickle
import traceback
from dataclasses import dataclass

import pytest

from hostmuster.errors import Refused
from hostmuster.secrets.value import Secret

PASSWORD = "correct horse battery"


@dataclass(frozen=True)
class Holder:
    name: str
    password: Secret


@pytest.mark.parametrize(
    "shown",
    [
        repr(Secret(PASSWORD)),
        str(Secret(PASSWORD)),
        f"{Secret(PASSWORD)}",
        f"{Secret(PASSWORD)!r:>80}",
        "{}".format(Secret(PASSWORD)),  # noqa: UP032 - another way to the same leak
        repr([Secret(PASSWORD)]),
        repr(Holder("db", Secret(PASSWORD))),
    ],
    ids=["repr", "str", "f-string", "padded", "format", "list", "dataclass"],
)
def test_no_text_form_gives_the_value(shown: str) -> None:
    assert PASSWORD not in shown
    assert "21 bytes" in shown


def test_equal_values_share_a_fingerprint_and_other_values_have_another() -> None:
    assert Secret(PASSWORD) == Secret(PASSWORD.encode())
    assert Secret(PASSWORD).fingerprint() == Secret(PASSWORD).fingerprint()
    assert Secret(PASSWORD).fingerprint() != Secret(PASSWORD + "!").fingerprint()
    assert len({Secret(PASSWORD), Secret(PASSWORD), Secret("other")}) == 2


def test_a_fingerprint_says_nothing_without_its_salt() -> None:
    assert Secret(PASSWORD).fingerprint(b"one") != Secret(PASSWORD).fingerprint(b"two")


def test_a_secret_is_not_equal_to_its_text() -> None:
    assert Secret(PASSWORD) != PASSWORD


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_secret_is_not_pickled(protocol: int) -> None:
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(Holder("db", Secret(PASSWORD)), protocol)


def test_a_copy_is_the_same_object_and_no_second_place_in_memory() -> None:
    secret = Secret(PASSWORD)
    assert copy.copy(secret) is secret
    assert copy.deepcopy({"a": secret})["a"] is secret


def test_a_secret_has_no_attribute_dictionary_to_print() -> None:
    with pytest.raises(TypeError):
        vars(Secret(PASSWORD))


def test_a_value_that_is_no_text_is_refused_without_being_quoted_anywhere() -> None:
    with pytest.raises(Refused) as caught:
        Secret(b"\xff" + PASSWORD.encode()).text()
    chain = "".join(traceback.format_exception(caught.value))
    assert PASSWORD not in chain
    assert caught.value.__context__ is None  # a UnicodeDecodeError there would carry the bytes


def test_a_log_record_shows_length_and_fingerprint(caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("any").warning("read %s", Secret(PASSWORD))
    assert PASSWORD not in caplog.text
    assert "21 bytes" in caplog.text
