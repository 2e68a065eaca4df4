"""Four hosts behind their start gates, under a prober that asks a token of each, 20 times a second, and has every other
verify it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hostmuster.lab.machine import Machine
from hostmuster.lab.subnet import Subnet
from hostmuster.secrets import ring_text
from hostmuster.secrets.ring import Ring
from tests.lab.backends.backends import PORT, Backends, BackendsFleet
from tests.lab.failures.trial import LEASE_S
from tests.lab.fleet_on_lab import REPOSITORY, FleetOnLab, machines_of
from tests.lab.gate.gated import BY_ITSELF_S, BehindGate

HOSTS = ("server-1", "server-2", "worker-1", "worker-2")
TOKEN_S = 10
CHECKLIST = (
    '"""Trust between hosts, secrets, and the services that read them."""\n\n'
    "from deploys.items import access, env_files, secrets, units\n\nCHECKLIST = (access, env_files, secrets, units)\n"
)
ISSUER = {
    "unit": "workload.service",
    "jwks": f"http://{{address}}:{PORT}/.well-known/jwks.json",
    "token": f"http://{{address}}:{PORT}/token",
    "token_life_s": TOKEN_S,
}


def four_hosts(net: Subnet) -> list[Machine]:
    """Two of each Debian."""
    return [Machine(name, net.at(11 + at), 12 + at % 2, (name.partition("-")[0],)) for at, name in enumerate(HOSTS)]


@dataclass
class Probed:
    """What the prober tells at its end."""

    document: Any = field(default=None)

    @property
    def failed(self) -> int:
        """Tokens that were refused, by whomever."""
        return int(self.document["failed"])

    @property
    def verified(self) -> int:
        """Tokens that were taken."""
        return sum(self.document["verified"].values())


class SignersFleet(BackendsFleet):
    """With the item access: hosts ask each other for their generation."""

    def __init__(self, folder: Path, name: str) -> None:
        super().__init__(folder, name)
        (folder / "deploys" / "checklist.py").write_text(CHECKLIST)


class Signers(Backends, BehindGate):
    """The backends, and their ring in the store."""

    unit = "workload.service"

    def declare(self) -> None:
        """The fleet file once more, with how the service is asked."""
        self.fleet.settings["secrets"]["issuers"] = {"signing": ISSUER}
        self.fleet.extra = {"lease_s": LEASE_S, "silence_s": 8}
        self.fleet.declare(machines_of(self.lab))

    def comes_by_itself(self, *hosts: str) -> None:
        """And they answer: for systemd the workload is active before it listens."""
        super().comes_by_itself(*hosts)
        for host in hosts:
            ready = f"until curl -fs -o /dev/null -m 2 {self.urls[host]}/health/ready; do sleep 0.1; done"
            self.on(host, ready, BY_ITSELF_S)

    @property
    def figures(self) -> Path:
        """What the prober writes beside a rotation."""
        return self.fleet.folder / "figures.json"

    @contextmanager
    def under_load(self) -> Iterator[Probed]:
        """A prober from here to the end of the block."""
        asked = [f"{name}={url}" for name, url in self.urls.items()]
        probed = Probed()
        prober = subprocess.Popen(
            [sys.executable, "-m", "hostmuster.drills.probes.tokens", "--out", str(self.figures), *asked],
            stdout=subprocess.PIPE,
            text=True,
            cwd=REPOSITORY,
        )
        try:
            yield probed
        finally:
            prober.send_signal(signal.SIGTERM)
            output, _ = prober.communicate(timeout=60)
            probed.document = json.loads(output)

    def ring(self, fleet: FleetOnLab | None = None) -> Ring:
        """The store's, in whosever clone."""
        shown = (fleet or self.fleet).hostmuster("secrets.show", "signing", "--reveal")
        assert shown.exit == 0, shown.errors
        return ring_text.parsed(shown.output, "the ring")

    def served(self, hosts: Sequence[str] = HOSTS) -> list[tuple[str, ...]]:
        """The kids that each backend publishes."""
        return [
            tuple(sorted(key["kid"] for key in self.ask(host, "/.well-known/jwks.json")[1]["keys"])) for host in hosts
        ]

    def signing(self, hosts: Sequence[str] = HOSTS) -> set[str]:
        """The kids of the tokens that the backends give out."""
        return {self.ask(host, "/token")[1]["kid"] for host in hosts}

    def numbers(self) -> dict[str, int]:
        """The generation that each host's next start takes."""
        return {host: self.number(host) for host in HOSTS}

    def is_cut_off(self, host: str) -> bool:
        """Whether a change that nobody goes on with is open there: one by one, some of its steps were taken."""
        return self.lab.run(host, "grep -q '^switching ' /var/lib/hostmuster/change/phase").ok
