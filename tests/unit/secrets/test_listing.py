"""How hosts stand with the fleet's generation of secrets, as `secrets.list` tells it."""

from __future__ import annotations

from pathlib import Path

from hostmuster.project import Project
from hostmuster.tasks.listing import Hosts, generations, newest, phase_told, standing
from tests.unit.tasks.canned_engine import engine, result


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


def test_where_nothing_reads_secrets_no_rollout_is_named() -> None:
    (told,) = standing(Hosts({"a": None, "b": None}, read=False))
    assert told.startswith("no host of the fleet reads secrets")
    assert "secrets.rollout" not in told


def test_what_the_engine_says_of_a_fleet_that_reads_nothing(tmp_path: Path) -> None:
    (tmp_path / "inventory").mkdir()
    (tmp_path / "inventory" / "unit.yml").touch()
    document = {"fleet": "unit", "hosts": {"a": None}, "without": {}, "waits": {}, "read": False}
    hosts, unasked = generations(Project(tmp_path), "unit", engine(*result(document, 0)))
    assert (hosts, unasked) == (Hosts({"a": None}, read=False), "")


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
