"""A Redis URL is replaced by one that somebody gives: on all replicas at once, and once."""

from __future__ import annotations

from tests.drills.fernet.encrypted import Encrypted
from tests.lab.backends.backends import HOSTS

NEW = "redis://:n3xt-of-redis@redis.example.net/0"
NEXT = NEW.replace("n3xt", "y3t-another")


def used(encrypted: Encrypted) -> set[str]:
    """What the running services have."""
    ask = "tr '\\0' '\\n' </proc/$(systemctl show -p MainPID --value workload)/environ | grep ^REDIS_URL="
    return {encrypted.on(host, ask) for host in HOSTS}


def test_every_replica_uses_the_url_that_was_given(encrypted: Encrypted) -> None:
    encrypted.declare()
    (before,) = used(encrypted)
    for given, said in (("", "an empty value"), ("memory://", "counts in each process alone")):
        done = encrypted.fleet.run("secrets.rotate", "redis", stdin=given)
        assert (done.exit, said in done.errors) == (3, True), done.errors
    assert used(encrypted) == {before}
    done = encrypted.fleet.run("secrets.rotate", "redis", stdin=f"{NEW}\n")
    assert done.exit == 0, done.errors
    print("redis:", {name: done.document.get(name) for name in ("outage_s", "skew_s")})
    assert used(encrypted) == {f"REDIS_URL={NEW}"}
    assert NEW not in done.output + done.errors
    again = encrypted.fleet.run("secrets.rotate", "redis", stdin=NEW)
    assert (again.exit, again.document.get("outage_s")) == (0, None)


def test_a_service_that_is_down_keeps_nobody_from_another_url(encrypted: Encrypted) -> None:
    """As it may be for the URL that it has; that no replacement is open is seen by what was halted, and by whom."""
    encrypted.declare()
    encrypted.on(HOSTS[1], "systemctl stop workload")
    done = encrypted.fleet.run("secrets.rotate", "redis", stdin=NEXT)
    assert done.exit == 0, done.errors
    assert done.document["outage_s"] > 0
    assert used(encrypted) == {f"REDIS_URL={NEXT}"}
