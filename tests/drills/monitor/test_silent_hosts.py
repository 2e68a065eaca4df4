"""A host that lost its power is spoken for by one neighbour, once."""

from __future__ import annotations

from tests.lab.conftest import NEW, ONE, TWO
from tests.lab.monitor.watched import Watched

PEER = "peer {}"


def speakers(watched: Watched) -> dict[str, set[str]]:
    """By silent host, who told of it."""
    told = [one for one in watched.receiver.alerts if one["check"].startswith("peer ")]
    return {host: {one["by"] for one in told if one["host"] == host} for host in (one["host"] for one in told)}


def test_a_host_that_lost_its_power_is_spoken_for_once_and_its_return_is_told(watched: Watched) -> None:
    watched.lab.kill(TWO)
    watched.until_told("broke", of=PEER, hosts=(TWO,))
    shown = watched.fleet.hostmuster("status").output.splitlines()
    assert shown[1].split()[:2] == [TWO, "unreachable"]
    watched.lab.start(TWO)
    watched.until_told("broke", "recovered", of=PEER, hosts=(TWO,))
    assert speakers(watched) == {TWO: {ONE}}


def test_two_dead_in_a_row_are_both_spoken_for(watched: Watched) -> None:
    for host in (TWO, NEW):
        watched.lab.kill(host)
    watched.until_told("broke", of=PEER, hosts=(TWO, NEW))
    # The first that comes back finds the other one silent, which has been said.
    watched.lab.start(TWO)
    watched.until_told("broke", "recovered", of=PEER, hosts=(TWO,))
    watched.lab.start(NEW)
    watched.until_told("broke", "recovered", of=PEER, hosts=(TWO, NEW))
    assert speakers(watched) == {TWO: {ONE}, NEW: {ONE}}


def test_an_alert_that_waits_outlives_a_power_loss_and_comes_once(watched: Watched) -> None:
    watched.receiver.down()
    watched.shell(ONE, "systemctl stop app")
    watched.until(lambda: '"alerts_waiting":1' in watched.told(ONE))
    watched.lab.kill(ONE)
    watched.lab.start(ONE)
    watched.receiver.up()
    watched.until_told("broke", "recovered", of="unit app.service", hosts=(ONE,))
    assert len({one["id"] for one in watched.receiver.alerts}) == len(watched.receiver.alerts)
