"""The webhook's address comes with the generation of secrets: the next run uses a new one, on all hosts at once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lab.fleet_on_lab import machines_of
from tests.lab.monitor.watched import PROXIED, TOKEN, Watched

BOTH = ("server-1", PROXIED)
APP, FILE = "unit app.service", "/etc/hostmuster/monitor/url"
ANOTHER = "An0therT0ken"
UNIT = "hostmuster-monitor.service"
READER = {"monitor": {"unit": UNIT, "timed": True, "files": {"url": "monitor-webhook"}}}


@pytest.fixture
def handed_over(watched: Watched) -> Iterator[Watched]:
    """By a reader, rolled out; afterwards as before."""
    done = watched.fleet.hostmuster("secrets.show", "monitor-webhook", "--reveal")
    address = done.output
    watched.fleet.settings["secrets"] = {"readers": READER}
    watched.fleet.declare(machines_of(watched.lab))
    for word in ("secrets.rollout", "apply"):
        done = watched.fleet.run(word)
        assert done.exit == 0, done.errors
    yield watched
    del watched.fleet.settings["secrets"]
    watched.fleet.declare(machines_of(watched.lab))
    watched.fleet.hostmuster("secrets.set", "monitor-webhook", stdin=address)
    assert watched.fleet.run("apply").exit == 0


def told_of(watched: Watched) -> None:
    """A unit that stops and comes back is alerted by both hosts."""
    watched.receiver.alerts.clear()
    watched.receiver.paths.clear()
    for act, events in (("stop", ("broke",)), ("start", ("broke", "recovered"))):
        for host in BOTH:
            watched.shell(host, f"systemctl {act} app")
        watched.until_told(*events, of=APP, hosts=BOTH)


def test_an_address_that_is_rolled_out_is_the_next_runs_and_in_no_file_of_applys(handed_over: Watched) -> None:
    watched = handed_over
    for host in BOTH:
        assert not watched.lab.run(host, f"ls {FILE}").ok
    told_of(watched)
    assert all(path.endswith(f"/hook/{TOKEN}") for path in watched.receiver.paths)
    origin = watched.fleet.settings["monitor"]["webhook"]["origin"]
    watched.fleet.hostmuster("secrets.set", "monitor-webhook", stdin=f"{origin}/hook/{ANOTHER}")
    rolled = watched.fleet.run("secrets.rollout")
    assert rolled.exit == 0, rolled.errors
    assert "ended" not in rolled.document
    told_of(watched)
    assert all(path.endswith(f"/hook/{ANOTHER}") for path in watched.receiver.paths)
    verified = watched.fleet.run("verify")
    assert verified.item("server-1", "secrets")["status"] == "ok", verified.errors
