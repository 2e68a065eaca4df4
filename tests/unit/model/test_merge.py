"""Levels of settings merge: the last wins in every mapping, and each leaf knows the level that said it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from hostmuster.model.document import Document, parse
from hostmuster.model.settings import Layer, Origin, merge

scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.sampled_from(["", "x"]))
trees = st.recursive(
    scalars | st.lists(scalars, max_size=2),
    lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
settings = st.dictionaries(st.sampled_from("abc"), trees, max_size=3)


def last_wins(below: JsonValue, above: JsonValue) -> JsonValue:
    """The rule, said once more in one line each."""
    if not isinstance(below, dict) or not isinstance(above, dict):
        return above
    return {key: last_wins(below[key], above[key]) if key in below and key in above
            else above.get(key, below.get(key)) for key in [*below, *above]}  # fmt: skip


def layer(level: str, data: dict[str, JsonValue]) -> Layer:
    return Layer(level, data, Document(f"{level}.yml", data, {(): 1}, {}), ())


@given(st.lists(settings, min_size=1, max_size=4))
def test_merging_is_last_wins_and_every_leaf_names_a_level_that_said_exactly_it(
    levels: list[dict[str, JsonValue]],
) -> None:
    named = {str(number): data for number, data in enumerate(levels)}
    before = repr(named)
    merged = merge([layer(level, data) for level, data in named.items()])
    expected: JsonValue = {}
    for data in levels:
        expected = last_wins(expected, data)
    assert merged.data == expected
    assert repr(named) == before, "the levels themselves stay as they were"
    for path, origin in merged.origins.items():
        here: JsonValue = merged.data  # type: ignore[assignment]
        said: JsonValue = named[origin.level]
        for part in path:
            here, said = here[part], said[part]  # type: ignore[index]
        assert here == said or isinstance(here, dict)


@given(settings, settings, settings)
def test_merging_step_by_step_is_merging_at_once(
    a: dict[str, JsonValue], b: dict[str, JsonValue], c: dict[str, JsonValue]
) -> None:
    first = dict(merge([layer("a", a), layer("b", b)]).data)
    assert merge([layer("ab", first), layer("c", c)]).data == merge([layer("a", a), layer("b", b), layer("c", c)]).data


def test_the_place_of_a_merged_value_is_the_line_in_its_own_file() -> None:
    read = parse("settings:\n  clock:\n    step_s: 2\n", "inventory/x.yml")
    merged = merge([Layer("fleet", {"clock": {"step_s": 2}}, read, ("settings",))])
    assert merged.origin(("clock", "step_s")) == Origin("fleet", "inventory/x.yml", 3)
    assert merged.nearest(("clock", "nothing")) == Origin("fleet", "inventory/x.yml", 2)
