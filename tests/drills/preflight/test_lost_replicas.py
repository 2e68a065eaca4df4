"""A replica that fails, stands still, or is out of reach, as secrets.check tells it."""

from __future__ import annotations

from tests.lab.preflight.replicas import ONE, OTHER, UNIT, Replicas, misses, states


def test_a_replica_that_does_not_come_up_is_a_miss_and_a_stopped_one_is_not_seen(replicas: Replicas) -> None:
    with replicas.wrong(ONE, env={"REDIS_URL": "memory://"}):
        failed = replicas.check()
    assert misses(failed) == {(ONE, "replicas"): f"{ONE}: {UNIT} is failed"}
    replicas.lab.run(ONE, f"systemctl stop {UNIT}")
    try:
        stopped = replicas.check()
    finally:
        replicas.restarted(ONE)
    assert stopped.exit == 0
    assert states(stopped, ONE)["replicas"] == "NOT_RUN"
    assert states(stopped, OTHER)["Redis"] == "NOT_RUN"


def test_a_host_that_cannot_be_reached_is_a_miss_by_name(replicas: Replicas) -> None:
    replicas.lab.cut(OTHER)
    try:
        done = replicas.check()
    finally:
        replicas.lab.heal(OTHER)
    assert done.exit == 3
    assert "it was not looked at" in misses(done)[OTHER, "replicas"]
