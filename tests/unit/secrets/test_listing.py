"""How hosts stand with the fleet's generation of secrets, as `secrets.list` tells it."""

from __future__ import annotations

from hostmuster.tasks.listing import Hosts, newest, phase_told, standing


def test_hosts_that_have_the_same_are_told_once() -> None:
    assert list(standing(Hosts({"a": 4, "b": 4}))) == ["a, b: generation 4"]


def test_a_host_that_is_behind_is_named_with_the_way_on() -> None:
    assert list(standing(Hosts({"a": 4, "b": 3, "c": 4}))) == [
        "b has generation 3, the others 4: hostmuster secrets.rollout"
    ]


def test_a_host_that_was_not_seen_is_told_apart_from_those_that_are_behind() -> None:
    same, unseen = standing(Hosts({"a": 4, "b": None}))
    assert same == "a: generation 4"
    assert unseen.startswith("b: no answer, or no generation yet")


def test_the_fleets_generation_is_the_newest_of_any_host() -> None:
    assert newest({"a": 4, "b": 5, "c": None}) == 5
    assert newest({"a": None}) is None


def test_who_was_left_out_and_what_waits_is_told_with_the_way_on() -> None:
    told = list(standing(Hosts({"a": 4, "b": 2}, ("b",), {"b": "it has generation 2, a has 4"})))
    assert told[1:] == [
        "made without b: once it is back, hostmuster secrets.rollout has it catch up and serve",
        "b: services that read secrets wait: it has generation 2, a has 4",
    ]


def test_a_ring_that_is_turning_is_told_with_the_way_on() -> None:
    assert phase_told("signing", None) is None
    assert phase_told("signing", "promoted") == (
        "signing is promoted: hostmuster secrets.rotate signing --through goes on with it; "
        "step by step, secrets.retire is next"
    )
