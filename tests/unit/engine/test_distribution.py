"""From whom a content is to be had, while hosts get it, fail, and are lost."""

from __future__ import annotations

from hostmuster.engine.distribution import CONTROLLER, Sources


def idle(sources: Sources) -> set[str]:
    """Who could serve now; they are put back."""
    found = [sources.take() for _ in range(sources.idle)]
    for source in found:
        sources.give_back(source)
    return set(found)


def test_the_controller_sends_it_once_and_then_hosts_hand_it_on_and_double() -> None:
    sources = Sources()
    assert sources.take() == CONTROLLER
    assert sources.idle == 0
    sources.gained("a", CONTROLLER)
    assert idle(sources) == {"a"}
    assert sources.take() == "a"
    sources.gained("b", "a")
    assert idle(sources) == {"a", "b"}
    for host in ("c", "d"):
        sources.gained(host, sources.take())
    assert idle(sources) == {"a", "b", "c", "d"}


def test_a_host_that_fails_leaves_its_source_to_the_next() -> None:
    sources = Sources()
    sources.give_back(sources.take())
    assert idle(sources) == {CONTROLLER}


def test_when_every_host_that_had_it_is_lost_the_controller_sends_it_again() -> None:
    sources = Sources()
    sources.gained("a", sources.take())
    sources.gained("b", sources.take())
    sources.lost(sources.take())
    assert CONTROLLER not in idle(sources)
    sources.lost(sources.take())
    assert idle(sources) == {CONTROLLER}


def test_a_controller_whose_file_came_with_other_bytes_is_asked_again() -> None:
    sources = Sources()
    sources.lost(sources.take())
    assert idle(sources) == {CONTROLLER}


def test_a_host_that_finds_it_where_it_is_counts_once() -> None:
    sources = Sources()
    sources.gained("a", sources.take())
    sources.gained("a", sources.take())
    assert sources.idle == 1
