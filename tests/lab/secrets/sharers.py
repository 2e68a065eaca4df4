"""Four hosts with a service that reads secrets, and what is to be seen of it from outside."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hostmuster.lab.lab import Lab
from hostmuster.lab.machine import Machine
from hostmuster.lab.subnet import Subnet
from hostmuster.secrets import ring_text, rsa_key
from hostmuster.secrets.ring import RingKey
from tests.lab.failures.trial import LEASE_S, Trial, TrialFleet
from tests.lab.fleet_on_lab import REPOSITORY, Finished, machines_of

HOSTS = ("server-1", "server-2", "worker-1", "worker-2")
UNIT = "reader.service"
READER = """\
[Unit]
Description=Reads secrets, and comes up only with values that it takes
[Service]
Type=notify
NotifyAccess=all
ExecStart=/bin/sh -c 'case $API_TOKEN in *refused*) exit 1 ;; esac; systemd-notify --ready; exec sleep infinity'
DynamicUser=yes
Restart=on-failure
RestartSec=1s
[Install]
WantedBy=multi-user.target
"""
READERS = {
    "reader": {
        "unit": UNIT,
        "env": {
            "API_TOKEN": "api-token",
            "RUNTIME_RSA_KEY_ID": "signing#kid",
            "RUNTIME_RSA_PREVIOUS_KEYS": "signing#previous",
        },
        "files": {"signing-key": "signing#private_key"},
    }
}


def four_hosts(net: Subnet) -> list[Machine]:
    """Two of each Debian."""
    return [
        Machine(name, net.at(11 + place), 12 + place % 2, (name.partition("-")[0],)) for place, name in enumerate(HOSTS)
    ]


class SharersFleet(TrialFleet):
    """A project of its own: the repository's items secrets and units, and a unit that reads."""

    def __init__(self, folder: Path, name: str) -> None:
        super().__init__(folder, name)
        (folder / "templates").unlink()
        shutil.copytree(REPOSITORY / "templates", folder / "templates")
        (folder / "templates" / "units" / "reader.service.j2").write_text(READER)
        self.own_checklist("secrets", "units")
        self.extra = {"lease_s": LEASE_S, "silence_s": 8}
        units = {"declared": {UNIT: {"template": "reader.service.j2", "ready_s": 4}}}
        self.settings = {"secrets": {"readers": READERS}, "units": units}


class Sharers(Trial):
    """The fleet under trial."""

    def settled(self) -> Sharers:
        """All on, and as the store says."""
        for host in self.lab.hosts:
            self.lab.start(host)
        self.go_on(self.lab.hosts)
        for command in ("secrets.rollout", "apply"):
            done = self.fleet.run(command)
            assert done.exit == 0, done.errors
        return self

    def set(self, name: str, value: str = "", *words: str) -> Finished:
        """A value into the store, from standard input."""
        return self.fleet.hostmuster("secrets.set", name, *words, stdin=value)

    def rollout(self) -> Finished:
        """To its end."""
        return self.fleet.run("secrets.rollout")

    def generations(self) -> list[str]:
        """What each host's next start takes: number and identity."""
        return [self.on(host, "head -n 1 /var/lib/hostmuster/current/identity 2>/dev/null; true") for host in HOSTS]

    def tokens(self) -> list[str]:
        """What each host's service runs with, by its process."""
        ask = f"tr '\\0' '\\n' </proc/$(systemctl show -p MainPID --value {UNIT})/environ | sed -n 's/^API_TOKEN=//p'"
        return [self.on(host, ask) for host in HOSTS]

    def started(self) -> list[str]:
        """Which start each service is in."""
        return [self.on(host, f"systemctl show -p InvocationID --value {UNIT}") for host in HOSTS]


@contextmanager
def started(folder: Path, name: str, kind: type[SharersFleet] = SharersFleet) -> Iterator[Sharers]:
    """Hosts that let the automation user in and have no secrets yet."""
    fleet = kind(folder, name)
    with Lab.up(four_hosts, name=name, known_hosts=fleet.known_hosts, disk_bytes=1 << 30) as lab:
        sharers = Sharers(fleet, lab)
        fleet.declare(machines_of(lab))
        for words in (("secrets.init",), ("secrets.set", "signing", "--kind", "rsa-signing-ring", "--generate")):
            done = fleet.hostmuster(*words)
            assert done.exit == 0, done.errors
        assert sharers.set("api-token", "token-of-the-first-day").exit == 0
        done = fleet.hostmuster("bootstrap")
        assert done.exit == 0, done.errors
        yield sharers


def turned(ring: str, change: str) -> str:
    """The ring one step on: another key published, or signing."""
    now = ring_text.parsed(ring, "the ring")
    then = now.published(RingKey(now.next_kid, rsa_key.generate())) if change == "published" else now.promoted()
    return ring_text.written(then).text()
