"""A fifth host added to a lab of four changes nothing on the four but peers and allowlists, and says so."""

from __future__ import annotations

import os
import subprocess

import pytest

from hostmuster.lab.lab import Lab
from hostmuster.lab.machine import Machine
from hostmuster.lab.subnet import Subnet
from tests.lab.failures.trial import ended
from tests.lab.fleet_on_lab import FleetOnLab
from tests.lab.onboard.site import Site
from tests.lab.onboard.test_members import ALLOWLISTS, PEERS, assert_whole

FOUR, FIFTH = ("server-1", "server-2", "worker-1", "worker-2"), "worker-3"
DIGESTS = "find /etc /opt /srv /usr/local -xdev -type f ! -name proved -exec sha256sum {} + | sort -k 2"
STARTED = "systemctl show -p ActiveEnterTimestampMonotonic workload.service chrony.service tinyproxy.service"


def five_hosts(net: Subnet) -> list[Machine]:
    """The repository's lab, and one more worker."""
    names = (*FOUR, FIFTH)
    return [Machine(name, net.at(11 + n), 12 + n % 2, (name[:6],)) for n, name in enumerate(names)]


def files(site: Site, host: str) -> dict[str, str]:
    lines = site.lab.run(host, DIGESTS).stdout.splitlines()
    return {path: digest for digest, path in (line.split("  ", 1) for line in lines)}


def test_it_changes_peers_and_allowlists_alone(tmp_path_factory: pytest.TempPathFactory) -> None:
    name = f"test-{os.getpid()}-fifth"
    fleet = FleetOnLab(tmp_path_factory.mktemp("fifth") / "project", name)
    with Lab.up(five_hosts, name=name) as lab:
        site = Site(fleet, lab)
        site.declare(*FOUR)
        assert fleet.hostmuster("secrets.init").exit == 0
        runs: list[subprocess.Popen[str]] = [site.start(h, "--fingerprint", site.fingerprint(h)) for h in FOUR]
        for run in runs:
            assert ended(run, 600).exit == 0
        assert fleet.run("apply").exit == 0
        before = {host: files(site, host) for host in FOUR}
        started = {host: lab.run(host, STARTED).stdout for host in FOUR}
        site.declare(*FOUR, FIFTH)
        done = fleet.run("onboard", FIFTH, "--fingerprint", site.fingerprint(FIFTH))
        assert_whole(done)
        assert {host: files(site, host) for host in FOUR} == before, "onboarding touches nobody else"
        assert set(done.document["others"]) == set(FOUR)
        for differences in done.document["others"].values():
            assert {said.split(": ")[0].removeprefix("file ") for said in differences} == {*PEERS, *ALLOWLISTS}
        assert fleet.run("apply").exit == 0
        for host in FOUR:
            after = files(site, host)
            changed = {path for path in {*before[host], *after} if before[host].get(path) != after.get(path)}
            assert changed == {*PEERS, *(path for path in ALLOWLISTS if path.startswith("/"))}
        assert {host: lab.run(host, STARTED).stdout for host in FOUR} == started, "nothing was restarted"
        assert fleet.run("verify", "--deep").exit == 0
