"""A change of secrets that is cut short: what each host may have of it meanwhile, and how it ends."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from hostmuster.secrets import ring_text
from hostmuster.secrets.ring import Ring
from tests.lab.failures.trial import ended, kill_engine
from tests.lab.fleet_on_lab import Finished, FleetOnLab
from tests.lab.gate.gated import BY_ITSELF_S
from tests.lab.secrets.sharers import HOSTS, UNIT, Sharers, turned
from tests.waiting import await_that

GENERATION = "cd /var/lib/hostmuster/current/ && find . -type f | sort | xargs sha256sum | sha256sum"
ENVIRONMENT = f"tr '\\0' '\\n' </proc/$(systemctl show -p MainPID --value {UNIT})/environ"
NOT_YET = ""
"""What runs on a host that has only just got its power back."""
GONE_S = 20
"""What a dead controller began has ended on hosts within so many seconds; three on a quiet machine."""


class Change:
    """Another token and one more key in the ring, in the store but not yet on the hosts: one generation to the next."""

    def __init__(self, sharers: Sharers, token: str, folder: Path) -> None:
        self._sharers = sharers
        (self.before,) = set(self.held().values())
        self._tokens = {*sharers.tokens(), token}
        self.token = token
        assert sharers.set("api-token", token).exit == 0
        if len(self.ring().keys) == 1:
            self.turn("published")
        self.after: str | None = None
        self._seen: set[str] = set()
        self.clone: FleetOnLab = sharers.fleet.clone(folder)

    def turn(self, how: str) -> None:
        """The store's ring one step on."""
        assert self._sharers.set("signing", turned(self._shown(), how)).exit == 0

    def ring(self) -> Ring:
        """The store's."""
        return ring_text.parsed(self._shown(), "the ring")

    def _shown(self) -> str:
        shown = self._sharers.fleet.hostmuster("secrets.show", "signing", "--reveal")
        assert shown.exit == 0, shown.errors
        return shown.output

    def held(self) -> dict[str, str]:
        """A digest over all that each host's next start takes."""
        return {host: self._sharers.on(host, GENERATION) for host in HOSTS}

    def looked_at(self) -> dict[str, str]:
        """The same, kept for the end: by then each must have been one of the two. Services run with one of them too."""
        held = self.held()
        self._seen |= set(held.values())
        assert set(self._sharers.tokens()) <= {*self._tokens, NOT_YET}
        return held

    def begun(self, stops: Mapping[str, str]) -> subprocess.Popen[str]:
        """A rollout that has come to a stop on these hosts, each at its step."""
        for host, step in stops.items():
            self._sharers.pause(step, hosts=[host])
        run = self._sharers.start("secrets.rollout")
        for host, step in stops.items():
            self._sharers.paused(host, step)
        return run

    def darkened(self, run: subprocess.Popen[str], hosts: Iterable[str]) -> Finished:
        """Power lost on these hosts: how the rollout ends, and then they are back."""
        for host in hosts:
            self._sharers.lab.kill(host)
        done = ended(run)
        for host in hosts:
            self._sharers.lab.start(host, wait=False)
        for host in hosts:
            self._sharers.lab.host(host).await_boot()
        return done

    def orphaned(self, run: subprocess.Popen[str]) -> dict[str, str]:
        """kill -9 of the engine; what hosts have once all that it began there has ended."""
        assert "SIGKILL" in kill_engine(run).output
        for host in HOSTS:
            self._sharers.on(host, "flock -w 60 /run/hostmuster.lock true")
        self._sharers.go_on(HOSTS)
        return self.looked_at()

    def completed(self) -> Finished:
        """Typed again in another clone, kept off while a dead run has its lease: one generation everywhere."""
        began = time.monotonic()
        while (done := self.clone.run("secrets.rollout")).exit == 3:
            assert "is at work on it (run " in done.errors
            assert time.monotonic() - began < GONE_S
            time.sleep(0.3)
        assert done.exit == 0, done.errors
        (self.after,) = set(self.held().values())
        assert self._seen <= {self.before, self.after}, "some host had half a generation"
        # What waited at its start gate comes by itself.
        await_that(lambda: self._sharers.tokens() == [self.token] * 4, BY_ITSELF_S, "all run with it")
        kids = {key.kid for key in self.ring().keys}
        for host in HOSTS:
            environment = self._sharers.on(host, ENVIRONMENT).splitlines()
            served = dict(line.partition("=")[::2] for line in environment)
            previous = {key["kid"] for key in json.loads(served["RUNTIME_RSA_PREVIOUS_KEYS"])}
            assert {served["RUNTIME_RSA_KEY_ID"], *previous} == kids, "no key is lost"
            assert self._sharers.leftovers(host) == []
        assert self._sharers.fleet.run("verify").exit == 0
        return done
