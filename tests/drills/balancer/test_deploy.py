"""A deploy under load: each server is taken out before its restart, and clients see nothing of it."""

from __future__ import annotations

from functools import partial

from hostmuster.engine.drains import UNDO_S
from tests.lab.balancer.ingress import Ingress
from tests.lab.balancer.ingress_fleet import BALANCER, INGRESS, ONE, OTHER, SERVERS, TWO, UNIT
from tests.lab.failures.trial import kill_engine

TIMERS = "systemctl list-timers --all --no-legend | grep -c hostmuster-undrain; true"


def restarted(ingress: Ingress) -> list[str]:
    """Which start each server is in."""
    return [ingress.on(host, f"systemctl show -p InvocationID --value {UNIT}") for host in SERVERS]


def at_rest(ingress: Ingress) -> None:
    """Nothing is taken out, and nothing is left that would put something back."""
    for host in (INGRESS, OTHER):
        assert ingress.on(host, TIMERS) == "0"
        ingress.all_up(host)


def test_both_servers_are_restarted_and_no_request_fails(ingress: Ingress) -> None:
    before = restarted(ingress)
    with ingress.under_load() as one, ingress.under_load(OTHER) as two:
        done = ingress.deploy()
    assert done.exit == 0, done.errors
    print("deploy:", done.document["seconds"], one.figures, two.figures)
    assert set(before).isdisjoint(restarted(ingress))
    assert one.document["failures"] == two.document["failures"] == {}
    acknowledged = [post["id"] for post in (*one.posts, *two.posts)]
    assert sorted(acknowledged) == sorted(set(ingress.taken()) & set(acknowledged))
    assert [line for line in done.errors.splitlines() if ": drain " in line] == [
        f"{host}: drain {INGRESS}, {OTHER}" for host in SERVERS
    ]
    at_rest(ingress)


def test_an_ingress_host_without_power_is_told_and_holds_up_no_deploy(ingress: Ingress) -> None:
    ingress.lab.kill(OTHER)
    with ingress.under_load() as seen:
        done = ingress.deploy("--limit", f"{ONE},{TWO}")
    assert done.exit == 0, done.errors
    assert done.errors.count(f"{OTHER} cannot be asked to drain servers") == 1
    assert seen.document["failures"] == {}


def test_the_last_one_that_is_ready_is_not_restarted(ingress: Ingress) -> None:
    ingress.on(TWO, f"systemctl stop {UNIT}")
    before = restarted(ingress)[0]
    try:
        done = ingress.deploy("--limit", ONE)
        assert done.exit == 1
        assert f"no other server is ready on {INGRESS}" in done.errors
        assert restarted(ingress)[0] == before
    finally:
        ingress.on(TWO, f"systemctl start {UNIT}")
    ingress.settled()
    assert ingress.fleet.run("apply").exit == 0
    assert restarted(ingress)[0] != before
    at_rest(ingress)


def test_a_killed_engine_leaves_no_server_out_for_good(ingress: Ingress) -> None:
    ingress.on(ONE, "touch /run/answers.hold")
    try:
        run = ingress.deploying()
        for host in (INGRESS, OTHER):
            ingress.within(partial(is_out, ingress, host), 60, f"{ONE} is taken out on {host}")
        kill_engine(run)
    finally:
        ingress.on(ONE, "rm -f /run/answers.hold")
    for host in (INGRESS, OTHER):
        ingress.within(partial(is_back, ingress, host), BALANCER["drain_s"] + UNDO_S + 10, f"{ONE} is back on {host}")
    with ingress.under_load() as seen:
        done = ingress.fleet.run("apply")
    assert done.exit == 0, done.errors
    assert seen.document["failures"] == {}
    at_rest(ingress)


def is_out(ingress: Ingress, host: str) -> bool:
    """Whether the first server gets no requests there, and what will put it back is armed."""
    return ingress.states(host)[ONE] != "UP" and ingress.on(host, TIMERS) == "1"


def is_back(ingress: Ingress, host: str) -> bool:
    """Whether it does again, and nothing is armed any more."""
    return ingress.states(host)[ONE] == "UP" and ingress.on(host, TIMERS) == "0"
