"""What a consumer tells of the keys that it knows, in whatever form it does."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from hostmuster.item import Answer
from hostmuster.secrets.consumer import Way, known
from hostmuster.secrets.ring import Ring

from .keys import ring_key

OLD, NEW = ring_key("key-1"), ring_key("key-2", 1)
RING = Ring(OLD, NEW)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"kids": ["key-1", "other"]}),
        json.dumps({"keys": [{"kid": "key-1", "kty": "RSA"}]}),
        json.dumps(["key-1"]),
        "key-1 since yesterday\nother\n",
    ],
)
def test_kids_are_read_from_json_or_lines(text: str) -> None:
    assert known(Answer(0, text), RING) == frozenset({OLD.word})


def test_a_jwks_tells_another_key_under_the_same_kid() -> None:
    stranger = {"kid": "key-1", "kty": "RSA", "n": "AQAB", "e": "AQAB"}
    seen = known(Answer(0, json.dumps({"keys": [stranger]})), RING)
    assert seen is not None
    assert OLD.word not in seen


def test_one_that_does_not_answer_tells_nothing() -> None:
    assert known(Answer(7, "refused"), RING) is None
    assert known(Answer(0, ""), RING) == frozenset()


def test_a_consumer_is_asked_in_one_way() -> None:
    for wrong in ({}, {"url": "http://192.0.2.1/", "run": ["cat", "/kids"]}):
        with pytest.raises(ValidationError):
            Way.model_validate(wrong)
