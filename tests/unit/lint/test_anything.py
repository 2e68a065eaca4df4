"""Our own rules read whatever a template renders to: they may complain, and never crash."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hostmuster.engine.lint import BETWEEN, LINTERS
from hostmuster.lint.linter import Artefact
from hostmuster.lint.timespan import odd, seconds
from hostmuster.resources.file import Grammar
from tests.unit.cases import CASES

PATHS = ["/etc/a/b.conf", "/etc/a/v6.rules", "/etc/a/x.filter", "/etc/systemd/system/a.service.d/b.conf"]


def known(grammar: Grammar) -> list[str]:
    """Configurations that are right, and some that went wrong; of every grammar where a grammar has none."""
    of_it = [case for case in CASES if case.lint and case.lint.grammar == grammar] or CASES
    return [
        case.artefact(text).decode() for case in of_it for text in (*case.passes, *(one.input for one in case.refused))
    ]


@st.composite
def mistyped(draw: st.DrawFn, texts: list[str]) -> bytes:
    """One of them with some words that somebody mistyped or put elsewhere."""
    parts = re.split(r"(\s+)", draw(st.sampled_from(texts)))
    for at in draw(st.sets(st.integers(0, len(parts) - 1), min_size=1, max_size=4)):
        parts[at] = draw(st.one_of(st.text(max_size=6), st.sampled_from(parts)))
    return "".join(parts).encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("grammar", LINTERS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_any_artefact_is_read_to_its_end(grammar: Grammar, data: st.DataObject) -> None:
    content = st.one_of(mistyped(known(grammar)), st.binary(max_size=60))
    path = data.draw(st.sampled_from(PATHS))
    first, second = Artefact(path, data.draw(content)), Artefact(path, data.draw(content))
    for complaint in LINTERS[grammar].traps(first):
        assert complaint
        assert "\n" not in complaint
    if grammar in BETWEEN:
        assert all(host in ("a", "b") for host, _ in BETWEEN[grammar]({"a": first, "b": second}))


@given(st.text(max_size=20))
def test_any_text_is_a_duration_or_none(text: str) -> None:
    counted = seconds(text)
    assert counted is None or counted >= 0
    assert odd(text) is None or odd(text)
