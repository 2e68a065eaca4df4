"""Servers behind ingress hosts: what a client sees of them, and what HAProxy does."""

from __future__ import annotations

import json
import signal
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from hostmuster.ingress.rendering import ADMIN, BACKEND
from hostmuster.lab.lab import Lab
from tests.lab.balancer.ingress_fleet import BALANCER, INGRESS, SERVERS, UNIT, IngressFleet
from tests.lab.fleet_on_lab import REPOSITORY, Finished, machines_of


@dataclass
class Seen:
    """What a probe tells at its end."""

    document: Any = field(default=None)
    posts: list[Any] = field(default_factory=list)

    def method(self, name: str) -> Any:
        """Of one method."""
        return self.document["methods"][name]

    @property
    def figures(self) -> dict[str, Any]:
        """What a report needs."""
        names = ("asked", "failed", "failures", "longest_outage_s", "sampling_error_s", "latency_ms")
        return {name: self.document[name] for name in names}


class Ingress:
    """The fleet on its lab."""

    def __init__(self, fleet: IngressFleet, lab: Lab) -> None:
        self.fleet, self.lab = fleet, lab
        self.revision = 1

    def declare(self, readers: Any = None, **balancer: Any) -> None:
        """The fleet file, with other settings of the load balancer; `readers` of secrets on the ingress hosts."""
        for machine in machines_of(self.lab):
            mine = {"load_balancer": BALANCER | balancer} | ({"secrets": {"readers": readers}} if readers else {})
            mine = json.loads(json.dumps(mine))  # no anchors
            self.fleet.host_settings[machine.name] = {} if "server" in machine.roles else mine
        self.fleet.settings = {"answers": {"revision": str(self.revision)}}
        self.fleet.declare(machines_of(self.lab))

    def made(self) -> None:
        """From bare hosts to servers that are reached."""
        self.declare()
        for words in (["secrets.init"], ["bootstrap"], ["apply"]):
            done = self.fleet.hostmuster(*words)
            assert done.exit == 0, f"{words}: {done.output}{done.errors}"

    def deploy(self, *words: str) -> Finished:
        """A new revision: both servers are restarted."""
        self.revision += 1
        self.declare()
        return self.fleet.run("apply", *words)

    def deploying(self) -> subprocess.Popen[str]:
        """The same, under way."""
        self.revision += 1
        self.declare()
        return self.fleet.start("apply")

    def on(self, host: str, command: str) -> str:
        """What root's shell says there; it has to succeed."""
        done = self.lab.run(host, command)
        assert done.ok, f"{host}: {command}: {done.stderr or done.stdout}"
        return str(done.stdout).strip()

    def url(self, path: str = "", host: str = INGRESS) -> str:
        """Of an ingress host."""
        return f"https://{self.lab.hosts[host].machine.address}{path}"

    def get(self, path: str, **headers: str) -> tuple[int, str]:
        """A client's request: status and body."""
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        request = urllib.request.Request(self.url(path), headers={k.replace("_", "-"): v for k, v in headers.items()})
        try:
            with urllib.request.urlopen(request, timeout=10, context=context) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def states(self, host: str = INGRESS) -> dict[str, str]:
        """Each server's, as HAProxy there sees it."""
        ask = f"echo 'show stat {BACKEND} 4 -1' | socat - UNIX-CONNECT:{ADMIN} | cut -d, -f2,18"
        rows = [line.split(",") for line in self.on(host, ask).splitlines() if "," in line]
        return {row[0]: row[1] for row in rows if row[0] in SERVERS}

    def noted(self, server: str, state: str, since: float, host: str = INGRESS) -> float:
        """When HAProxy there first found a server UP or DOWN after that moment; both in seconds since 1970."""
        ask = f"journalctl -u haproxy -o short-unix -g 'Server {BACKEND}/{server} is {state}' --since @{int(since)}"
        moments: list[float] = []

        def is_noted() -> bool:
            lines = self.lab.run(host, ask).stdout.splitlines()
            moments[:] = [at for line in lines if line[:1].isdigit() and (at := float(line.split()[0])) > since]
            return bool(moments)

        self.within(is_noted, 30, f"{host} finds {server} {state}")
        return moments[0]

    def ready(self, host: str, said: str | None) -> float:
        """Has a server tell this of itself (None: that it is ready). When, in seconds since 1970."""
        command = f"echo '{said}' >/run/answers" if said else "rm -f /run/answers"
        return float(self.on(host, f"{command}; date +%s.%N"))

    def within(self, holds: Callable[[], bool], seconds: float, what: str) -> float:
        """Waits until it holds. When it did, in seconds since 1970."""
        began = time.monotonic()
        while not holds():
            assert time.monotonic() - began < seconds, f"not within {seconds} s: {what}"
            time.sleep(0.02)
        return time.time()

    def settled(self) -> None:
        """All on, and every server found ready everywhere."""
        for host in self.lab.hosts:
            self.lab.start(host)
        for host in SERVERS:
            self.ready(host, None)
        for host in self.lab.hosts:
            if host not in SERVERS:
                self.all_up(host)

    def all_up(self, host: str) -> None:
        """Waits until HAProxy there finds every server ready; a check that came late makes it `UP 1/2` for a moment."""
        self.within(lambda: self.states(host) == dict.fromkeys(SERVERS, "UP"), 20, f"all are up on {host}")

    def taken(self) -> list[str]:
        """The keys of all tasks that servers took, one for each time."""
        lines = [self.on(host, f"journalctl -u {UNIT} -o cat | sed -n 's/^taken //p'") for host in SERVERS]
        return [key for text in lines for key in text.split()]

    @contextmanager
    def under_load(self, host: str = INGRESS, *words: str) -> Iterator[Seen]:
        """A client with 50 requests a second, half of them POST, from here to the end of the block."""
        seen = Seen()
        posts = self.fleet.folder / f"posts-{host}"
        client = [sys.executable, "-m", "hostmuster.drills.probes.traffic", "--insecure-lab", "--get-path", "/work"]
        prober = subprocess.Popen(
            [*client, "--acknowledged", str(posts), *words, self.url(host=host)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=REPOSITORY,
        )
        try:
            self.within(lambda: posts.exists() and posts.stat().st_size > 0, 20, "the client is served")
            yield seen
        finally:
            prober.send_signal(signal.SIGTERM)
            output, _ = prober.communicate(timeout=60)
            seen.document = json.loads(output)
            seen.posts = [json.loads(line) for line in posts.read_text().splitlines()]
            posts.unlink()
