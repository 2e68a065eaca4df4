"""Hosts that check themselves every two seconds, and a webhook's receiver on the controller's address."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from hostmuster.lab.lab import Lab
from tests.lab.fleet_on_lab import REPOSITORY, FleetOnLab, machines_of
from tests.lab.own_lab import Machines, own_lab
from tests.receiver import Receiver

TOKEN = "T0p5ecretT0ken"
PROXIED = "worker-1"
"""It goes out through its proxy alone."""
RUN_S = 2
_APP = """\
[Unit]
Description=An application

[Service]
ExecStart=/bin/sleep infinity

[Install]
WantedBy=multi-user.target
"""
_CERTIFICATE = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=app"


@dataclass(frozen=True)
class Watched:
    """The fleet, and what the receiver got of it."""

    fleet: FleetOnLab
    lab: Lab
    receiver: Receiver

    def shell(self, host: str, command: str) -> str:
        """Root's shell there; it has to succeed."""
        done = self.lab.run(host, command)
        assert done.ok, f"{host}: {command}\n{done.stdout}{done.stderr}"
        return str(done.stdout)

    def events(self, host: str, check: str) -> list[str]:
        """What was alerted of one check of a host, in order."""
        return [one["event"] for one in self.receiver.alerts if (one["host"], one["check"]) == (host, check)]

    def told(self, host: str) -> str:
        """The host's status.json; nothing before its first run since it was booted."""
        return str(self.lab.run(host, "cat /run/hostmuster-monitor/status.json").stdout)

    def until(self, holds: Callable[[], bool], within_s: float = 180) -> None:
        """Waits for it; then for one more run, in which nothing may be told again.

        Of two dead in a row the second is silent only from when the first is: an idle machine tells that after 50 s.
        """
        end = time.monotonic() + within_s
        while not holds():
            if time.monotonic() > end:
                raise AssertionError(self.receiver.texts(), [self.told(host) for host in self.lab.hosts])
            time.sleep(0.2)
        time.sleep(RUN_S + 0.5)

    def until_told(self, *events: str, of: str, hosts: tuple[str, ...]) -> None:
        """These alerts of a check arrive from each of the hosts (`{}` in the check is its name), and no other."""
        checks = {host: of.format(host) for host in hosts}
        self.until(lambda: all(len(self.events(host, check)) >= len(events) for host, check in checks.items()))
        assert {host: self.events(host, check) for host, check in checks.items()} == {host: [*events] for host in hosts}

    def is_well(self) -> bool:
        """All checks of all hosts hold, each has seen its neighbours, and none waits to tell something."""
        told = [self.told(host) for host in self.lab.hosts]
        return all('"alerts_waiting":0' in one and '"failed"' not in one and '"not_run"' not in one for one in told)

    def settle(self) -> None:
        """All hosts run and are well; what was told until now is forgotten."""
        for host in self.lab.hosts:
            self.lab.start(host)
        self.until(self.is_well)
        self.receiver.alerts.clear()

    def certificate(self, days: int) -> None:
        """A TLS certificate on the first host."""
        self.shell("server-1", f"{_CERTIFICATE} -keyout /etc/ssl/app.key -out /etc/ssl/app.pem -days {days}")


@contextmanager
def watched_lab(folders: pytest.TempPathFactory, what: str, machines: Machines) -> Iterator[Watched]:
    """A lab brought to the checklist, its monitors running."""
    with (
        own_lab(folders, what, machines, FleetOnLab, 1 << 30) as (fleet, lab),
        Receiver(lab.subnet.controller) as receiver,
    ):
        templates = fleet.folder / "templates"
        templates.unlink()
        shutil.copytree(REPOSITORY / "templates", templates)
        (templates / "units" / "app.service.j2").write_text(_APP)
        watched = Watched(fleet, lab, receiver)
        origin = f"http://hooks.example.net:{receiver.origin.rpartition(':')[2]}"
        declare(watched, origin)
        watched.shell("server-1", "touch /srv/backup-done")
        watched.certificate(days=30)
        for words, given in (
            (["secrets.init"], ""),
            (["secrets.set", "monitor-webhook"], f"{origin}/hook/{TOKEN}"),
            (["bootstrap"], ""),
            (["apply"], ""),
        ):
            done = fleet.hostmuster(*words, stdin=given)
            assert done.exit == 0, f"{words}: {done.output}{done.errors}"
        yield watched


def declare(watched: Watched, origin: str) -> None:
    """What the hosts check and where they tell of it."""
    everywhere: dict[str, Any] = {
        "interval_s": RUN_S,
        "patience": 1,
        "webhook": {"origin": origin},
        "peers": {"every_s": 2 * RUN_S, "silent_s": 10 * RUN_S},
        "textfile": "/var/lib/textfile/hostmuster.prom",
    }
    first = {"tls": ["/etc/ssl/app.pem"], "backups": {"db": {"marker": "/srv/backup-done", "most_hours": 24}}}
    watched.fleet.settings = {
        "access": {"extra_hosts": {watched.lab.subnet.controller: ["hooks.example.net"]}},
        "units": {"declared": {"app.service": {"template": "app.service.j2"}}},
        "monitor": everywhere,
    }
    watched.fleet.host_settings = {
        "server-1": {"monitor": first},
        PROXIED: {"egress": {"allow": ["hooks.example.net"]}},
    }
    watched.fleet.declare(machines_of(watched.lab))
