"""Hosts in turn: what failed before stops what comes after, and a host that cannot be reached has failed."""

from __future__ import annotations

from tests.lab.failures.trial import BOOKWORM, HOSTS, THIRD, TRIXIE, Trial, texts


def test_a_canary_that_fails_keeps_the_others_as_they_are(trial: Trial) -> None:
    trial.fleet.host_settings = {THIRD: {"plain": {"text": "canary", "spoiled": True}}}
    trial.want(plain={"text": "canary"})
    done = trial.apply("--canary", THIRD)
    assert done.exit == 1
    assert done.item(THIRD, "plain")["status"] == "failed"
    assert [done.item(host, "plain")["status"] for host in (BOOKWORM, TRIXIE)] == ["skipped"] * 2
    assert "canary" not in texts(trial)


def test_a_canary_that_cannot_be_reached_has_failed(trial: Trial) -> None:
    trial.lab.kill(BOOKWORM)
    trial.want(plain={"text": "unreached"})
    done = trial.apply("--canary", BOOKWORM)
    assert done.exit == 1
    assert not done.document["hosts"][BOOKWORM]["reachable"]
    assert [done.item(host, "plain")["status"] for host in (TRIXIE, THIRD)] == ["skipped"] * 2
    trial.lab.start(BOOKWORM)
    assert "unreached" not in texts(trial)


def test_a_run_stops_after_as_many_failures_as_were_allowed(trial: Trial) -> None:
    spoiled = {"plain": {"text": "batched", "spoiled": True}}
    trial.fleet.host_settings = {BOOKWORM: spoiled}
    trial.want(plain={"text": "batched"})
    stopped = trial.apply("--batch", "1")
    assert stopped.exit == 1
    assert [stopped.item(host, "plain")["status"] for host in HOSTS] == ["failed", "skipped", "skipped"]
    tolerant = trial.apply("--batch", "1", "--failures", "2")
    assert tolerant.exit == 1
    assert [tolerant.item(host, "plain")["status"] for host in HOSTS] == ["failed", "changed", "changed"]
    assert texts(trial)[1:] == ["batched"] * 2


def test_a_canary_that_is_not_among_the_hosts_is_refused(trial: Trial) -> None:
    refused = trial.apply("--canary", THIRD, "--limit", BOOKWORM)
    assert refused.exit == 3
    assert "none of this run's hosts" in refused.document["error"]


def test_a_service_that_does_not_come_back_keeps_the_other_hosts_from_their_restart(trial: Trial) -> None:
    trial.on(BOOKWORM, "chmod 0 /run/trial.seen; mkdir /run/systemd/system/trial.service.d")
    trial.on(BOOKWORM, "printf '[Service]\\nExecStartPre=/bin/false\\n' >/run/systemd/system/trial.service.d/bad.conf")
    trial.on(BOOKWORM, "systemctl daemon-reload")
    trial.want(plain={"text": "rolled"})
    done = trial.apply()
    assert done.exit == 1
    assert "trial.service did not come back" in done.document["hosts"][BOOKWORM]["error"]
    for host in (TRIXIE, THIRD):
        assert f"{BOOKWORM} did not come back from its own restart" in done.document["hosts"][host]["error"]
        assert trial.on(host, "cat /run/trial.seen") != "rolled"
        assert trial.on(host, "cat /var/lib/hostmuster/owed/trial.service").startswith("restart")
    trial.on(BOOKWORM, "rm -r /run/systemd/system/trial.service.d; systemctl daemon-reload")
    assert trial.apply().exit == 0
    assert [trial.on(host, "cat /run/trial.seen") for host in HOSTS] == ["rolled"] * 3
