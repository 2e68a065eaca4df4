"""Backends on several hosts with one set of keys: any of them takes what another one signed (K1, K3, K7, K8)."""

from __future__ import annotations

import json

from tests.lab.backends.backends import HOSTS, Backends


def test_tokens_of_one_host_are_taken_by_the_other_and_both_publish_the_same_keys(backends: Backends) -> None:
    for signer, verifier in (HOSTS, HOSTS[::-1]):
        status, token = backends.ask(signer, "/token")
        assert (status, token["replica"]) == (200, signer)
        status, told = backends.ask(verifier, "/verify", json.dumps({"token": token["token"]}))
        assert (status, told["signed_by"], told["verified_by"]) == (200, signer, verifier)
    first, second = (backends.ask(host, "/.well-known/jwks.json") for host in HOSTS)
    assert first == second
    assert [key["kid"] for key in first[1]["keys"]] == ["signing-1"]


def test_a_renderer_takes_what_a_backend_of_another_host_signed(backends: Backends) -> None:
    for host in HOSTS:
        status, told = backends.ask(host, "/render", "page")
        assert (status, told["by"]) == (200, HOSTS[1])


def test_every_token_asked_for_is_taken_everywhere(backends: Backends) -> None:
    code, told = backends.probed(3)
    assert (code, told["failures"], told["away"]) == (0, {}, {})
    assert all(told["issued"][host] > 10 for host in HOSTS)


def test_the_running_processes_are_proved_to_use_the_generation(backends: Backends) -> None:
    done = backends.fleet.run("verify")
    assert done.exit == 0, done.errors
    for host in HOSTS:
        seen = json.dumps(done.item(host, "units"))
        assert "has the keys of signing" in seen
        assert "signs with signing and verifies it" in seen


def test_a_replica_that_lacks_what_all_must_share_does_not_come_up_and_says_what(backends: Backends) -> None:
    host = HOSTS[0]
    spare = "/run/systemd/system/workload.service.d"
    lab = backends.lab
    assert lab.run(host, f"mkdir -p {spare} && printf '[Service]\\nUnsetEnvironment=REDIS_URL\\n' >{spare}/x.conf").ok
    try:
        lab.run(host, "systemctl daemon-reload && systemctl restart workload")
        assert backends.gave_up(host) == "78"
        assert "REDIS_URL is not set" in lab.run(host, "journalctl -q -u workload -n 20 --no-pager").stdout
    finally:
        lab.run(host, f"rm -r {spare} && systemctl daemon-reload && systemctl restart workload")
    assert not lab.run(host, "journalctl -q --no-pager | grep -e 'PRIVATE KEY' -e s3cr3t-of-redis").ok
