"""Bare hosts become members in one command each; who they are is confirmed by a person, and nobody else changes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

import pytest
import yaml

from hostmuster.lab.lab import Lab
from hostmuster.lab.machine import Machine
from hostmuster.lab.subnet import Subnet
from tests.lab.failures.trial import ended
from tests.lab.fleet_on_lab import REPOSITORY, Finished, FleetOnLab, machines_of
from tests.lab.onboard.terminal import answered

OLD, NEW, THIRD = "server-1", "worker-1", "worker-2"
ITEMS = {"access", "clock", "workspace", "env_files", "units"}
"""What every host has; a project may declare more."""
PEERS = ("/etc/hosts", "/etc/ssh/hostmuster/known_hosts", "/etc/ssh/ssh_config.d/00-hostmuster.conf")
"""What a host knows of the others; nothing else there changes by one more."""


def three_hosts(net: Subnet) -> list[Machine]:
    """Both Debian releases, and one that comes later."""
    return [
        Machine(OLD, net.at(11), 12, ("server",)),
        Machine(NEW, net.at(12), 13, ("worker",)),
        Machine(THIRD, net.at(13), 12, ("worker",)),
    ]


class Site:
    """The repository's own lab settings on these hosts, of which `declare` says who is in the fleet."""

    def __init__(self, fleet: FleetOnLab, lab: Lab) -> None:
        self.fleet, self.lab = fleet, lab

    def declare(self, *names: str) -> None:
        text = (REPOSITORY / "inventory" / "lab.yml").read_text()
        prefix = self.lab.subnet.bridge.removesuffix("1")
        self.fleet.settings = yaml.safe_load(text.replace("10.213.0.", prefix))["settings"]
        self.fleet.declare(machine for machine in machines_of(self.lab) if machine.name in names)

    def fingerprint(self, host: str) -> str:
        """As ssh-keygen prints it, from the host's own file."""
        return self.lab.run(host, "ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub").stdout.split()[1]

    def pins(self) -> str:
        file = self.fleet.known_hosts
        return file.read_text() if file.exists() else ""

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.fleet.command("onboard", *words, "--json"),
            cwd=self.fleet.folder,
            env=self.fleet.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Three bare hosts, two of them in the fleet, and nobody's key pinned."""
    name = f"test-{os.getpid()}-members"
    fleet = FleetOnLab(tmp_path_factory.mktemp("members") / "project", name)
    with Lab.up(three_hosts, name=name) as lab:
        made = Site(fleet, lab)
        made.declare(OLD, NEW)
        assert fleet.hostmuster("secrets.init").exit == 0
        yield made


def assert_whole(done: Finished) -> None:
    """Every line of the checklist is there with its text and what was seen, and none failed."""
    assert done.exit == 0, done.errors
    lines = done.document["checklist"]
    (host,) = done.document["hosts"].values()
    assert [line["item"] for line in lines] == list(host["items"])
    assert {line["item"] for line in lines} >= ITEMS
    assert {line["status"] for line in lines} <= {"ok", "not_run"}
    assert [line["item"] for line in lines if line["status"] == "not_run"] in ([], ["access"])
    assert all(line["text"] and line["seen"] for line in lines)


def test_a_key_that_nobody_confirmed_is_never_pinned(site: Site) -> None:
    seen = site.fingerprint(OLD)
    for words in (("--yes",), ("--json", "--replace")):
        done = site.fleet.hostmuster("onboard", OLD, *words)
        assert done.exit == 3
        assert seen in done.errors
        assert f"--fingerprint {seen}" in done.errors, "the command to type"
    other = site.fleet.hostmuster("onboard", OLD, "--fingerprint", site.fingerprint(NEW))
    assert other.exit == 3
    assert site.fleet.hostmuster("onboard", OLD, "--fingerprint", "MD5:00:11").exit == 3
    code, shown = answered(site.fleet, "onboard", OLD, answer="y")
    assert code == 3
    assert f"ssh-ed25519 {seen}" in shown
    assert site.pins() == ""
    assert not site.lab.run(OLD, "id hostmuster").ok


def test_two_bare_hosts_onboard_at_once_in_one_command_each(site: Site) -> None:
    runs = [site.start(host, "--fingerprint", site.fingerprint(host)) for host in (OLD, NEW)]
    for run in runs:
        assert_whole(ended(run, 240))
    assert len(site.pins().splitlines()) == 2


def test_one_more_host_changes_nothing_on_the_others_but_peers(site: Site) -> None:
    site.declare(OLD, NEW, THIRD)
    foreign = f"# ours\n@cert-authority *.example.org {site.pins().splitlines()[0].partition(' ')[2]}\n"
    site.fleet.known_hosts.write_text(foreign + site.pins())
    code, shown = answered(site.fleet, "onboard", THIRD, answer="yes")
    assert code == 0, shown
    assert all(item in shown for item in ITEMS)
    assert all(f"{host} differs now" in shown for host in (OLD, NEW))
    assert site.pins().startswith(foreign)
    again = site.fleet.run("onboard", THIRD, "--yes")
    assert_whole(again)
    assert set(again.document["others"]) == {OLD, NEW}
    for differences in again.document["others"].values():
        assert sorted(said.split(": ")[0].removeprefix("file ") for said in differences) == sorted(PEERS)


def test_a_rebuilt_host_is_refused_until_it_is_to_be_replaced(site: Site) -> None:
    was = site.fingerprint(THIRD)
    site.lab.run(THIRD, "rm /etc/ssh/ssh_host_ed25519_key* && ssh-keygen -A && systemctl restart ssh")
    new = site.fingerprint(THIRD)
    before = site.pins()
    for words in (("--yes",), ("--fingerprint", new)):
        refused = site.fleet.hostmuster("onboard", THIRD, *words)
        assert refused.exit == 3
        assert was in refused.errors
        assert new in refused.errors
    assert site.fleet.hostmuster("onboard", THIRD, "--replace", "--fingerprint", was).exit == 3
    assert site.pins() == before
    assert_whole(site.fleet.run("onboard", THIRD, "--replace", "--fingerprint", new))
    assert site.pins().splitlines()[:4] == before.splitlines()[:4], "foreign lines and the others' pins"
    assert len(site.pins().splitlines()) == 5
