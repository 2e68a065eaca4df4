"""The picture says what was: each failure is seen, each owner, each time that nobody was ready."""

from __future__ import annotations

from hostmuster.drills.timeline import HIGH, WIDE, timeline
from tests.unit.drills.sample import evidence, looks, measured, owner


def test_every_track_is_drawn_within_the_picture_and_says_its_figures() -> None:
    found = timeline(evidence().fault, measured(), looks(), owner, ["10.213.0.100"])
    assert found is not None
    notes = {track.name: track.note for track in found.tracks}
    assert notes["GET from the client"] == "600 asked, 0 failed"
    assert notes["POST from the client"] == "390 asked, 7 failed"
    assert notes["10.213.0.100 leads to"] == "ingress-1, then ingress-2"
    assert notes["server-1 is ready"] == "not for 12.0 s"
    assert notes["server-2 is ready"] == "all the time"
    assert notes["Tasks queued or running"] == "44 at most"
    for box in (*found.faults, *(box for track in found.tracks for box in track.boxes)):
        assert 0 <= box.x <= WIDE
        assert 0 <= box.y <= box.y + box.height <= HIGH + 0.01


def test_a_single_failed_request_is_high_enough_to_be_seen() -> None:
    found = timeline([], measured(), [], owner, [])
    assert found is not None
    bad = [box for track in found.tracks for box in track.boxes if box.word == "bad"]
    assert bad
    assert min(box.height for box in bad) >= 4


def test_where_nothing_was_seen_nothing_is_drawn() -> None:
    assert timeline([], None, [], owner, []) is None
