"""What clients tell becomes one measurement: an outage is when nobody gave a good answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from hostmuster.drills.load import Load, Told, added, longest_down, longest_unasked, merged, together
from hostmuster.project import Project
from tests.unit.drills.test_catalogue import fleet
from tests.waiting import await_that


def told(
    began: float,
    get: list[tuple[int, int]],
    post: list[tuple[int, int]] | None = None,
    outage_s: float = 0,
    sampling_s: float = 0.04,
) -> Told:
    series: dict[str, object] = {"every_s": 0.1, "GET": get, **({"POST": post} if post else {})}
    methods = {
        name: {"asked": sum(map(sum, found)), "failed": sum(bad for _, bad in found)}
        for name, found in (("GET", get), ("POST", post))
        if found
    }
    return Told.model_validate(
        {
            "began": began,
            "seconds": len(get) / 10,
            "longest_outage_s": outage_s,
            "sampling_error_s": sampling_s,
            "failures": {},
            "methods": methods,
            "series": series,
        }
    )


def test_servers_asked_directly_are_out_only_while_none_of_them_answers() -> None:
    one = told(100.0, [(2, 0), (0, 2), (0, 2), (0, 2), (2, 0)])
    other = told(100.1, [(2, 0), (0, 2), (2, 0), (2, 0)])
    found = merged([one, other])
    assert found.outage_s == 0.1
    assert found.failed == {"GET": 4}
    assert found.asked == {"GET": 18}
    assert found.asked_elsewhere


def test_a_post_that_failed_anywhere_has_failed() -> None:
    one = told(100.0, [(1, 0), (1, 0)], [(0, 1), (1, 0)])
    other = told(100.0, [(1, 0), (1, 0)], [(1, 0), (1, 0)])
    assert merged([one, other]).failed == {"GET": 0, "POST": 1}


def test_ways_to_the_same_service_each_count_and_the_worst_outage_is_told() -> None:
    four, six = told(100.0, [(1, 0), (0, 1)], outage_s=0.4), told(100.0, [(1, 0), (1, 0)], outage_s=0.1)
    found = together([four, six])
    assert (found.outage_s, found.failed, found.asked) == (0.4, {"GET": 1}, {"GET": 4})


def test_the_sampling_error_is_that_of_the_client_whose_outage_is_told() -> None:
    idle, down = told(100.0, [(1, 0)], outage_s=0.3, sampling_s=0.3), told(100.0, [(1, 0)], outage_s=0.5)
    assert together([idle, down]).sampling_s == 0.04


def test_of_servers_asked_directly_it_is_how_long_none_of_them_was_asked() -> None:
    dead = told(100.0, [(1, 0), (0, 1), (0, 0), (0, 0), (0, 0), (0, 0), (1, 0)], outage_s=0.6, sampling_s=0.5)
    other = told(100.0, [(1, 0), (1, 0), (1, 0), (0, 1), (0, 0), (0, 0), (1, 0)], outage_s=0.4)
    found = merged([dead, other])
    assert (found.outage_s, round(found.sampling_s, 3)) == (0.3, 0.3), "and the tenth of a second it is told by"
    assert round(merged([other, told(100.0, [(1, 0)] * 7)]).sampling_s, 3) == 0.1


def test_before_the_first_request_and_after_the_last_nobody_need_ask() -> None:
    assert longest_unasked([(0, 0), (0, 0), (1, 0), (0, 0), (0, 1), (0, 0), (0, 0)]) == 1
    assert longest_unasked([(0, 0)]) == longest_unasked([]) == 0


def test_a_moment_in_which_nothing_was_sent_is_as_the_one_before_it() -> None:
    assert longest_down([(1, 0), (0, 0), (0, 1), (0, 0), (0, 1), (1, 0), (0, 0)]) == 3
    assert longest_down([(0, 0), (1, 0)]) == 0
    assert added([[(1, 0)], [(0, 2), (3, 0)]]) == [(1, 2), (3, 0)]


@pytest.mark.parametrize(("post", "first"), [("", b""), ("/tasks", b"{}\n")])
def test_a_client_that_posts_has_begun_with_its_first_answer_and_any_other_once_it_asks(
    tmp_path: Path, post: str, first: bytes
) -> None:
    load = Load(fleet(tmp_path, client={"post": post}), Project(tmp_path), tmp_path)
    told = [tmp_path / f"acknowledged-{number}.jsonl" for number in (1, 2)]
    told[0].write_bytes(first)
    assert not load.begun(), "the other one is not there yet"
    told[1].touch()
    assert load.begun() == (not post)
    told[1].write_bytes(first)
    assert load.begun()


def test_clients_that_only_get_say_that_they_ask(tmp_path: Path) -> None:
    load = Load(fleet(tmp_path, client={"through": ["http://127.0.0.1:1"]}), Project(tmp_path), tmp_path)
    load.start()
    try:
        await_that(load.begun, 60, "it comes to ask")
    finally:
        load.end()
