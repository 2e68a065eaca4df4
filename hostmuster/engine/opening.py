"""What every command needs before it acts: project, store, fleet, catalogue, and the way to the hosts."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from hostmuster.engine.access import Access
from hostmuster.engine.automation import AUTOMATION_KEY
from hostmuster.engine.catalogue import Catalogue, compile_fleet
from hostmuster.engine.checklist import checklist
from hostmuster.engine.connection import connections
from hostmuster.engine.distribution import Distribution
from hostmuster.engine.drains import Drains
from hostmuster.engine.job import Job
from hostmuster.engine.lease import Lease
from hostmuster.engine.record import Record
from hostmuster.engine.signer import Signer
from hostmuster.engine.store_key import private_key
from hostmuster.engine.visit import Visit
from hostmuster.errors import HostmusterError, Refused
from hostmuster.model.declared import existing
from hostmuster.model.fleet import Fleet, Host
from hostmuster.model.inventory import load_fleet
from hostmuster.project import Project
from hostmuster.secrets.any_store import AnyStore
from hostmuster.secrets.chosen import open_store
from hostmuster.secrets.references import broken
from hostmuster.secrets.sealed import Sealed
from hostmuster.ssh import pin_file
from hostmuster.ssh.known_hosts import KnownHosts


@dataclass(frozen=True)
class Opening:
    """A compiled fleet and the way to its hosts. `run` is the run's id."""

    job: Job
    project: Project
    store: AnyStore
    fleet: Fleet
    catalogue: Catalogue
    run: str

    @property
    def hosts(self) -> tuple[Host, ...]:
        """The hosts this job is for, in the fleet's order."""
        kept = [host for host in self.fleet.hosts.values() if host.name not in self.job.exclude]
        return tuple(host for host in kept if self.job.limit is None or host.name in self.job.limit)

    @property
    def lease(self) -> Lease:
        """This run's lease."""
        return Lease(self.job.holder, self.run, self.fleet.lease_s, self.project.reports)

    @property
    def signer(self) -> Signer:
        """Signs certificates by the store's CA."""
        return Signer(self.store)

    @property
    def known_hosts(self) -> Path:
        """The fleet's pins as paramiko reads them whole: the file itself, or the run's copy of nothing but its pins."""
        file = self.project.known_hosts(self.fleet.name)
        pins = pin_file.read(file)
        return file if pins.is_plain else self.copied(pins.plain, "known_hosts")

    def copied(self, pins: KnownHosts, name: str) -> Path:
        """A file of the run's own with these pins."""
        copy = self.project.reports / self.run / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(pins.text)
        return copy

    def access(self) -> Access:
        """As the automation user, with its key out of the store. Raises Refused where the store cannot be opened."""
        key = private_key(self.store) if AUTOMATION_KEY in self.store.names() else None
        password = self.job.sudo_password
        return Access(
            self.known_hosts,
            key=key,
            sudo_password=password.get_secret_value() if password else None,
        )

    def visits(self, record: Record, *, lease: bool, compared: bool = False) -> list[Visit]:
        """A visit a host, nothing connected yet. `compared`: the hosts are to be compared with each other."""
        access = self.access()
        taken = self.lease if lease else None
        shared = Distribution()
        drains = Drains(self.fleet, access, record) if lease else None
        return [
            Visit(
                self.catalogue.hosts[name], way, taken, record, self.signer,
                compared=compared, distribution=shared, drains=drains,
            )
            for name, way in connections(self.hosts, access).items()
        ]  # fmt: skip


def open_fleet(job: Job, pins: KnownHosts | None = None) -> Opening:
    """Compiles the fleet; no connection is made. Raises InputError or Refused.

    `pins`: which hosts are members (Fleet.after); None: those of the file, and whoever the job is to take in or out.
    """
    project = Project(job.project)
    # Before it becomes a path of anything else: Refused, with the fleets that there are.
    existing(project, job.fleet)
    items = checklist(project)
    names = [module.ITEM.name for module in items]
    if job.item is not None and job.item not in names:
        raise Refused(f"no item is named {job.item}", where="--item", remedy=f"the checklist has: {', '.join(names)}")
    load = partial(
        load_fleet,
        project,
        job.fleet,
        {module.ITEM.name: module.ITEM.settings for module in items},
        for_roles={module.ITEM.name: module.ITEM.roles for module in items if module.ITEM.roles},
        pins=_members(project, job) if pins is None else pins,
    )
    try:
        store = open_store(project, job.fleet)
        public = store.public()
    except HostmusterError:
        # The fleet file's own mistakes come first (docs/first-fleet.md), and no store mends them.
        load()
        raise
    fleet = load(public=public, secrets=_named(store))
    _require_hosts(fleet, [*(job.limit or ()), *job.exclude, *filter(None, [job.canary])])
    catalogue = compile_fleet(fleet, items, only=job.item, wrong=broken(fleet, store))
    return Opening(job, project, store, fleet, catalogue, _run_id())


def _members(project: Project, job: Job) -> KnownHosts:
    pins = pin_file.read(project.known_hosts(job.fleet))
    for host in job.limit or ():
        if job.command in ("onboard", "host_key"):
            pins = pins.with_return(host)
        elif job.command in ("offboard", "departure", "exposed"):
            pins = pins.before_departure(host)
    return pins


def _named(store: AnyStore) -> dict[str, Sealed]:
    """What items may name: opaque values. Keys are no item's to read."""
    names = [name for name, one in store.entries.items() if one.kind.name == "opaque"]
    return {name: Sealed(name, partial(store.value, name), partial(store.fingerprint, name)) for name in names}


def _require_hosts(fleet: Fleet, names: Sequence[str]) -> None:
    for name in names:
        if name in fleet.gone:
            remedy = f"`hostmuster onboard {name}` takes it back, or delete its entry"
            raise Refused(f"{name} was offboarded", where=fleet.gone[name], remedy=remedy)
    unknown = [name for name in names if name not in fleet.hosts]
    if unknown:
        raise Refused(
            f"no host is named {', '.join(unknown)}",
            where=f"inventory/{fleet.name}.yml",
            remedy=f"it declares: {', '.join(fleet.hosts)}",
        )


def _run_id() -> str:
    # Short enough to say aloud, and no two runs of a fleet's journal folder share it.
    return secrets.token_hex(4)
