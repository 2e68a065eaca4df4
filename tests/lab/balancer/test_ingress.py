"""Clients get in by declared paths alone, and reach servers that are ready; what is wrong changes nothing."""

from __future__ import annotations

import json

import pytest

from tests.lab.balancer.ingress import Ingress
from tests.lab.balancer.ingress_fleet import INGRESS, ONE, TWO, WITHIN_S


def test_declared_paths_are_answered_and_all_others_refused_alike(ingress: Ingress) -> None:
    assert ingress.get("/work/here") == (200, '{"path": "/work/here"}')
    assert ingress.get("/health/ready")[0] == 200
    refused = {ingress.get(path) for path in ("/", "/admin/", "/admin/sweep", "/internal/identity", "/workload")}
    # Closer to the servers they would be other paths than nginx reads.
    detours = ("/work/../admin/", "/work/%2e%2e/admin/", "/admin/..%2fwork", "//admin//../work", "/health/ready/more")
    refused |= {ingress.get(path) for path in detours}
    assert refused == {(404, '{"error":"not found"}\n')}
    assert ingress.get("/.hostmuster") in refused  # answered on the host itself alone


def test_who_the_client_is_nobody_but_nginx_says(ingress: Ingress) -> None:
    claimed = {"X_Forwarded_For": "192.0.2.66", "X_Real_IP": "192.0.2.66", "Forwarded": "for=192.0.2.66"}
    _, body = ingress.get("/work/headers", **claimed)
    headers = json.loads(body)
    assert headers["x-forwarded-for"] == headers["x-real-ip"] == ingress.lab.subnet.controller
    assert headers["x-forwarded-proto"] == "https"
    assert "192.0.2.66" not in body


@pytest.mark.parametrize(
    "said",
    ['{"status": "ok", "database": "down"}', '{"status": "not ready", "database": "ok"}', '{"status": "ok"}'],
)
def test_a_replica_that_is_not_ready_leaves_and_returns_within_the_target(ingress: Ingress, said: str) -> None:
    asked = ingress.ready(ONE, said)
    left = ingress.noted(ONE, "DOWN", asked) - asked
    assert ingress.states()[TWO].startswith("UP"), "also where a check came late once"
    asked = ingress.ready(ONE, None)
    back = ingress.noted(ONE, "UP", asked) - asked
    print(f"left after {left:.2f} s, returned after {back:.2f} s")
    assert max(left, back) < WITHIN_S


def test_a_configuration_that_a_host_refuses_leaves_the_one_before(ingress: Ingress) -> None:
    before = ingress.on(INGRESS, "sha256sum /etc/nginx/hostmuster.conf /etc/haproxy/hostmuster.cfg")
    ingress.on(INGRESS, "mount --bind /bin/false /usr/sbin/haproxy")  # as one that reads another language
    try:
        ingress.declare(answer_s=42)
        done = ingress.fleet.run("apply", "--limit", INGRESS)
        assert done.exit == 1
        assert "haproxy refuses it" in done.errors
    finally:
        ingress.on(INGRESS, "umount /usr/sbin/haproxy")
    assert ingress.on(INGRESS, "sha256sum /etc/nginx/hostmuster.conf /etc/haproxy/hostmuster.cfg") == before
    assert ingress.get("/work/here")[0] == 200
    ingress.declare()
    assert ingress.fleet.run("apply", "--limit", INGRESS).exit == 0


def test_a_reload_under_load_drops_nothing(ingress: Ingress) -> None:
    with ingress.under_load() as seen:
        for seconds in (43, 60):
            ingress.declare(answer_s=seconds)
            done = ingress.fleet.run("apply", "--limit", INGRESS)
            assert done.exit == 0, done.errors
    print("reloads:", seen.figures)
    assert seen.document["failures"] == {}
    assert seen.document["asked"] > 50
