"""Who else reads a ring's published keys: what each is seen to know of them, its cache included (K4, K5)."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import gevent
from gevent.pool import Pool

from hostmuster.engine.connection import Connection, connections
from hostmuster.engine.opening import Opening
from hostmuster.engine.record import Record
from hostmuster.errors import HostFailed, HostmusterError
from hostmuster.model.fleet import Host
from hostmuster.onhost.program import line
from hostmuster.secrets.consumer import Way, known
from hostmuster.secrets.reader import issuers_of
from hostmuster.secrets.ring import Ring
from hostmuster.secrets.rotation.keys import Consumer

EVERY_S = 1.0


@dataclass
class Copies:
    """The copies that others have of a ring's published keys, in one step of its rotation. `again`: the command."""

    opening: Opening
    record: Record
    name: str
    again: str
    _since: float | None = None

    def seen(self, ring: Ring, excluded: Collection[str] = ()) -> list[Consumer]:
        """What each knows, asked on every host whose settings declare it and that takes part; one exec a host.

        One that does not answer knows no key that is to be used, and each that is revoked: of it nothing is proved.
        """
        hosts = [host for host in self.opening.hosts if self._ways(host) and host.name not in excluded]
        ways = connections(hosts, self.opening.access()) if hosts else {}

        def asked(way: Connection) -> list[Consumer]:
            return list(self._asked(way, ring))

        return [one for found in Pool(max(len(ways), 1)).map(asked, ways.values()) for one in found]

    def wait(self, stale: Sequence[str]) -> None:
        """A moment, for copies that are not what is published. Raises HostFailed once they are older than may be."""
        now = time.monotonic()
        self._since = self._since or now
        ways = {_label(host, name): way for host in self.opening.hosts for name, way in self._ways(host).items()}
        longest = max(ways[label].cache_s for label in stale)
        names = ", ".join(stale)
        if now - self._since > longest:
            what = f"{names}: after {longest:g} s it still does not know the keys as they are published"
            raise HostFailed(what, where=self.name, remedy=f"have it read them anew (a restart), then: {self.again}")
        self.record.phase(self.name, "wait", f"for {names}: a copy may be {longest:g} s old")
        gevent.sleep(EVERY_S)

    def _asked(self, way: Connection, ring: Ring) -> Iterator[Consumer]:
        declared = self._ways(way.host)
        unknown = frozenset(key.word for key in ring.revoked)
        try:
            answers = way.run("\n".join(line("probe", name, *one.question(way.host)) for name, one in declared.items()))
        except HostmusterError:
            answers = None
        finally:
            way.close()
        for name in declared:
            words = known(answers[name], ring) if answers else None
            yield Consumer(_label(way.host, name), unknown if words is None else words)

    def _ways(self, host: Host) -> dict[str, Way]:
        issuer = issuers_of(host).get(self.name)
        return issuer.consumers if issuer else {}


def _label(host: Host, name: str) -> str:
    return f"{name} on {host.name}"
