"""What every command needs before it acts: project, store, fleet, catalogue, and the way to the hosts."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hostmuster.engine.access import Access
from hostmuster.engine.automation import AUTOMATION_KEY
from hostmuster.engine.catalogue import Catalogue, checklist, compile_fleet
from hostmuster.engine.connection import connections
from hostmuster.engine.job import Job
from hostmuster.engine.lease import Lease
from hostmuster.engine.record import Record
from hostmuster.engine.signer import Signer
from hostmuster.engine.store_key import private_key
from hostmuster.engine.visit import Visit
from hostmuster.errors import Refused
from hostmuster.model.fleet import Fleet, Host, load_fleet
from hostmuster.project import Project
from hostmuster.secrets.store import Store
from hostmuster.ssh import pin_file


@dataclass(frozen=True)
class Opening:
    """A compiled fleet and the way to its hosts. `run` is the run's id."""

    job: Job
    project: Project
    store: Store
    fleet: Fleet
    catalogue: Catalogue
    run: str

    @property
    def hosts(self) -> tuple[Host, ...]:
        """The hosts this job is for, in the fleet's order."""
        if self.job.limit is None:
            return tuple(self.fleet.hosts.values())
        return tuple(host for host in self.fleet.hosts.values() if host.name in self.job.limit)

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
        if pins.is_plain:
            return file
        copy = self.project.reports / self.run / "known_hosts"
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(pins.plain.text)
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

    def visits(self, record: Record, *, lease: bool) -> list[Visit]:
        """A visit a host, nothing connected yet."""
        ways = connections(self.hosts, self.access())
        taken = self.lease if lease else None
        return [Visit(self.catalogue.hosts[name], way, taken, record, self.signer) for name, way in ways.items()]


def open_fleet(job: Job) -> Opening:
    """Compiles the fleet; no connection is made. Raises InputError or Refused."""
    project = Project(job.project)
    items = checklist(project)
    names = [module.ITEM.name for module in items]
    if job.item is not None and job.item not in names:
        raise Refused(f"no item is named {job.item}", where="--item", remedy=f"the checklist has: {', '.join(names)}")
    if not project.fleet_file(job.fleet).is_file():
        # Before its store is looked for: Refused, with the fleets that there are.
        load_fleet(project, job.fleet, None)
    store = Store.open(project, job.fleet)
    fleet = load_fleet(
        project,
        job.fleet,
        {module.ITEM.name: module.ITEM.settings for module in items},
        for_roles={module.ITEM.name: module.ITEM.roles for module in items if module.ITEM.roles},
        public=store.public(),
    )
    _require_hosts(fleet, [*(job.limit or ()), *filter(None, [job.canary])])
    return Opening(job, project, store, fleet, compile_fleet(fleet, items, only=job.item), _run_id())


def _require_hosts(fleet: Fleet, names: Sequence[str]) -> None:
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
