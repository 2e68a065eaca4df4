"""containerd's metadata torn, as a power loss may leave it: dockerd does not come up; why, and what to do, is named."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from hostmuster.monitor.script import source
from tests.lab.fleet_on_lab import Finished
from tests.lab.images.site import PORT, Site
from tests.lab.pair import HOSTS, OLD

METADATA = "/var/lib/containerd/io.containerd.metadata.v1.bolt/meta.db"
TORN = f"""\
systemctl stop container-web docker.socket docker containerd 2>/dev/null
head -c 16384 /dev/urandom | dd of={METADATA} conv=notrunc status=none
systemctl start docker.socket containerd
systemctl start docker 2>/dev/null
until [ "$(systemctl show -P ActiveState docker)" = failed ]; do sleep 0.2; done"""
DROP_IN = "/run/systemd/system/docker.service.d"
SLOW = f"""\
mkdir -p {DROP_IN} && printf '[Service]\\nExecStartPre=/bin/sleep infinity\\n' >{DROP_IN}/slow.conf
systemctl daemon-reload && systemctl stop docker && systemctl start --no-block docker"""
MONITORED = source().partition("\nfolder=$1")[0] + "\nengine=docker\ncheck_engine"
"""The monitor's script without its run, and one of its checks."""
SOON_S = 25.0
"""On a machine that has much else to do; a host that says nothing is given up after 30 s."""


@pytest.fixture
def torn(site: Site) -> Iterator[Site]:
    """Both hosts with an engine that does not come up."""
    for host in HOSTS:
        site.on(host, TORN)
    yield site
    for host in HOSTS:
        site.on(host, f"rm -f {METADATA}.torn")


def soon(site: Site, *words: str) -> Finished:
    """A command that knows how it stands without waiting for what cannot come."""
    began = time.monotonic()
    done = site.run(*words)
    assert time.monotonic() - began < SOON_S, done.errors
    assert "no sign of life" not in done.errors
    return done


def is_named(text: str) -> None:
    """The unit, since when, its last word, and what to do."""
    assert "containerd.service is active since " in text
    assert "invalid database" in text
    assert "mv meta.db meta.db.torn" in text


def remedy(text: str) -> str:
    """The first command line that it tells to run."""
    told: str = text.partition("run `")[2].partition("`")[0]
    return told


def test_an_engine_that_does_not_come_up_is_named_and_the_remedy_mends_it(torn: Site) -> None:
    verify = soon(torn, "verify")
    assert verify.exit == 1
    check = soon(torn, "check")
    assert check.exit == 2
    apply = soon(torn, "apply")
    assert apply.exit == 1
    for host in HOSTS:
        (engine,) = [one for one in verify.item(host, "images")["effects"] if one["name"] == "the engine answers"]
        is_named(engine["seen"])
        is_named(check.item(host, "images")["differences"][0])
        is_named(apply.item(host, "images")["reason"])
        monitored = torn.on(host, MONITORED)
        assert monitored.startswith("check\tfailed\tengine docker\t")
        is_named(monitored)
        torn.on(host, remedy(engine["seen"]))
        torn.await_engine(host)
        assert torn.on(host, MONITORED).startswith("check\tok\tengine docker\t\tanswers, version ")
    torn.apply()
    assert torn.run("verify", "--deep").exit == 0
    assert torn.run("check").exit == 0
    for host in HOSTS:
        torn.wait_until(host, f"curl -fsS -m 3 http://{torn.address(host)}:{PORT}/version")


def test_an_engine_that_does_not_come_to_its_end_of_starting_is_named_too(site: Site) -> None:
    site.on(OLD, SLOW)
    try:
        check = soon(site, "check", "--limit", OLD)
        apply = site.run("apply", "--limit", OLD)  # it waits for as long as a container has to come up
        assert (check.exit, apply.exit) == (2, 1)
        assert "docker.service is activating since " in check.item(OLD, "images")["differences"][0]
        assert "see `journalctl -u docker`" in apply.item(OLD, "images")["reason"]
    finally:
        site.on(OLD, f"rm -r {DROP_IN} && systemctl daemon-reload && systemctl restart docker")
    site.apply()
    assert site.run("verify").exit == 0
