"""One host on its way out, and the members that stay: how each is reached, and what the leaving changes there."""

from __future__ import annotations

from dataclasses import replace

from hostmuster.engine import leaving
from hostmuster.engine.catalogue import Compiled
from hostmuster.engine.connection import connections
from hostmuster.engine.opening import Opening, open_fleet
from hostmuster.engine.record import Record
from hostmuster.engine.visit import Visit
from hostmuster.ssh import pin_file
from hostmuster.ssh.known_hosts import KnownHosts, line, name_of
from hostmuster.ssh.membership import Membership


class Departure:
    """One host on its way out. `members`: those that stay and were ever taken in."""

    def __init__(self, opening: Opening, record: Record) -> None:
        (self.host,) = opening.hosts
        self.opening, self.record = opening, record
        self.file = opening.project.known_hosts(opening.fleet.name)
        self.pins = pin_file.read(self.file)
        self.name = name_of(self.host.address, self.host.port)
        self.is_marked = self.host.name in self.pins.gone
        after = self.pins if self.is_marked else self.pins.with_departure(self.name, self.membership)
        job = opening.job.model_copy(update={"limit": None})
        self.staying = replace(open_fleet(job, after), run=opening.run)
        hosts = self.staying.fleet.hosts.values()
        self.members = [host for host in hosts if self.pins.keys(name_of(host.address, host.port))]
        self.compiled = opening.catalogue.hosts[self.host.name]
        self.values = opening.store.confidential()
        # Its own key is revoked from the mark on, and known to this run alone.
        keys = (*self.pins.keys(self.name), *self.pins.departed(self.host.name))
        known = KnownHosts((*self.pins.plain.lines, *(line(self.name, key) for key in keys)))
        self.access = replace(opening.access(), known_hosts=opening.copied(known, "known_hosts.leaving"))

    @property
    def membership(self) -> Membership:
        """The one that ends."""
        return self.opening.fleet.membership(self.host.name)

    def mark(self) -> None:
        """From here on every other command leaves the host out."""
        if not self.is_marked:
            self.record.phase(self.host.name, "mark", f"{self.file.name}: {self.membership.comment}")
            pin_file.change(self.file, lambda pins: pins.with_departure(self.name, self.membership))

    def visit(self, part: Compiled, *, lease: bool = True, quiet: bool = False) -> Visit:
        """The host itself. `quiet`: that it cannot be reached is for the caller to tell."""
        ((_, way),) = connections([self.host], self.access).items()
        record = self.record.quiet() if quiet else self.record
        return Visit((part,), way, self.opening.lease if lease else None, record, self.opening.signer)

    def visits(self) -> list[Visit]:
        """The members, each with the items that the leaving changes there."""
        ways = connections(self.members, self.access)
        signer, lease = self.staying.signer, self.staying.lease
        return [Visit(self._changed(name), way, lease, self.record, signer) for name, way in ways.items()]

    def _changed(self, member: str) -> tuple[Compiled, ...]:
        before = {part.item.name: part.resources for part in self.opening.catalogue.hosts[member]}
        now = self.staying.catalogue.hosts[member]
        changed = tuple(part for part in now if part.resources != before.get(part.item.name))
        return (*changed, leaving.forgotten(self.host))
