"""Hosts that wait for one another go on together, or not at all."""

from __future__ import annotations

import gevent
import pytest

from hostmuster.engine.rendezvous import Rendezvous


@pytest.mark.parametrize("hosts", [1, 2, 5])
def test_all_go_on_once_the_last_one_is_there(hosts: int) -> None:
    meeting = Rendezvous(hosts)
    waiting = [gevent.spawn(meeting.arrive, True) for _ in range(hosts - 1)]
    gevent.sleep(0.01)
    assert not any(one.ready() for one in waiting)
    assert meeting.arrive(True)
    assert [one.get(timeout=1) for one in waiting] == [True] * (hosts - 1)
    meeting.leave()
    assert meeting.arrive(True)
    assert meeting.met


@pytest.mark.parametrize("comes", [True, False])
def test_nobody_goes_on_where_one_is_not_ready_or_does_not_come(comes: bool) -> None:
    meeting = Rendezvous(3)
    waiting = [gevent.spawn(meeting.arrive, True) for _ in range(2)]
    gevent.sleep(0.01)
    if comes:
        assert not meeting.arrive(False)
    else:
        meeting.leave()
    assert [one.get(timeout=1) for one in waiting] == [False, False]
    assert not meeting.arrive(True), "who comes late is sent home, too"
    assert not meeting.met
