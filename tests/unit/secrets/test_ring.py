"""A ring of signing keys turns step by step, and its text is read strictly (K3, K4)."""

from __future__ import annotations

import json

import pytest

from hostmuster.errors import InputError
from hostmuster.secrets import ring_text
from hostmuster.secrets.kinds.catalogue import KINDS
from hostmuster.secrets.ring import Ring
from hostmuster.secrets.value import Secret

from .keys import pem, ring_key

KIND = KINDS["rsa-signing-ring"]
OLD, NEW = ring_key("key-1"), ring_key("key-2", 1)
BEFORE = Ring(OLD)
PUBLISHED = BEFORE.published(NEW)
PROMOTED = PUBLISHED.promoted()
RETIRED = PROMOTED.retired()


def test_a_ring_turns_from_one_key_to_the_next() -> None:
    assert [key.kid for key in PUBLISHED.keys] == ["key-1", "key-2"]
    assert Ring(NEW, None, (OLD,)) == PROMOTED
    assert Ring(NEW) == RETIRED
    assert BEFORE.promoted() == BEFORE


@pytest.mark.parametrize(("now", "then"), [(BEFORE, PUBLISHED), (PUBLISHED, PROMOTED), (PROMOTED, RETIRED)])
def test_the_rings_of_neighbouring_steps_may_serve_together(now: Ring, then: Ring) -> None:
    assert now.obstacle(then) is None
    assert then.obstacle(now) is None


@pytest.mark.parametrize(("now", "then"), [(BEFORE, PROMOTED), (BEFORE, RETIRED), (PUBLISHED, Ring(NEW))])
def test_rings_that_are_a_step_apart_may_not(now: Ring, then: Ring) -> None:
    assert "would not be verified" in str(now.obstacle(then))
    assert "would not be verified" in str(then.obstacle(now))


def test_another_key_under_the_same_kid_verifies_nothing() -> None:
    assert BEFORE.obstacle(Ring(ring_key("key-1", 1))) is not None


@pytest.mark.parametrize(
    ("kids", "coming"),
    [(("key-1",), "key-2"), (("key-9", "key-10"), "key-11"), (("default",), "default-2"), (("2024-05",), "2024-6")],
)
def test_a_kid_never_comes_twice(kids: tuple[str, ...], coming: str) -> None:
    ring = Ring(ring_key(kids[-1]), None, tuple(ring_key(kid, 1) for kid in kids[:-1]))
    assert ring.next_kid == coming


def entry(kid: str, copy: int = 0) -> dict[str, str]:
    return {"kid": kid, "private_key": pem(copy)}


@pytest.mark.parametrize("ring", [BEFORE, PUBLISHED, PROMOTED])
def test_the_text_of_a_ring_reads_back_as_the_same_ring(ring: Ring) -> None:
    text = ring_text.written(ring)
    assert ring_text.parsed(text.text(), "ring") == ring
    assert KIND.check(text, "ring").value == text


def test_one_key_is_a_ring_of_one() -> None:
    (part,) = KIND.parts.split(KIND.check(Secret(pem()), "token-key").value) if KIND.parts else ()
    assert (part.label, part.use, part.value.text()) == ("token-key-1", "current", pem())


CURRENT = json.dumps(entry("a"))

BAD_TEXTS = [
    ('{"current": {"kid": "a", "private_key": "-----BEGIN\nMII\n-----END"}}', "a real line break inside a text"),
    ('{{"current": {}}}'.format(CURRENT.replace("\\n", "\\\\n")), "a literal \\n stands in the key"),
    (f'{{"current": {CURRENT}, "current": {CURRENT}}}', "`current` stands twice"),
    ('{"current": {"kid": "a", "kid": "b", "private_key": "x"}}', "`kid` stands twice"),
    (f'{{"current": {CURRENT},}}', "line 1"),
    ("null", "JSON, but null"),
    ("[{}]", "JSON, but a list"),
    ('\ufeff{"current": 1}', "a byte order mark"),
    (f'{{"next": {CURRENT}}}', "no `current` key"),
    (f'{{"current": {CURRENT}, "previous": null}}', "`previous` is null, not a list"),
    (f'{{"current": {CURRENT}, "previous": ""}}', "`previous` is a text, not a list"),
    (f'{{"current": {CURRENT}, "former": []}}', "1 members besides"),
    ('{"current": {"kid": "a"}}', "exactly `kid` and `private_key`"),
    ('{"current": {"kid": 1, "private_key": "x"}}', "are texts"),
    (json.dumps({"current": entry("a"), "previous": [entry("a", 1)]}), "the kid `a` stands 2 times"),
    (json.dumps({"current": entry("a"), "next": entry("a", 1)}), "the kid `a` stands 2 times"),
    (json.dumps({"current": entry("b"), "previous": [entry("a", 1), entry("a", 2)]}), "the kid `a` stands 2 times"),
    (json.dumps({"current": entry("a"), "previous": [entry("b")]}), "`a` and `b` are the same key"),
    (json.dumps({"current": entry("a b")}), "a kid that is not"),
    (json.dumps({"current": entry("x_unencrypted")}), "a kid that is not"),
    (json.dumps({"current": {"kid": "a", "private_key": "MIIB"}}), "no PEM block"),
]


@pytest.mark.parametrize(("text", "said"), BAD_TEXTS, ids=lambda value: value[:40] if " " in value else "")
def test_a_text_that_is_no_ring_is_refused_with_the_reason(text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        KIND.check(Secret(text), "ring")
    assert said in str(caught.value)
    assert BODY_OF_KEY not in str(caught.value)


BODY_OF_KEY = pem().splitlines()[3]


@pytest.mark.parametrize(("text", "said"), [("", "empty text"), ("  ", "empty text"), ("{", "line 1"), ("]", "line 1")])
def test_a_text_that_is_no_json_is_named_by_line(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        ring_text.json_of(text, "RUNTIME_RSA_PREVIOUS_KEYS")
