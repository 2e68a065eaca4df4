"""The lab of a fleet: its hosts are the fleet's, its name too, and its pins are the fleet's known_hosts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

from hostmuster.errors import Refused
from hostmuster.lab import tool, wreck
from hostmuster.lab.lab import Lab
from hostmuster.lab.machine import Machine
from hostmuster.model.fleet import Fleet
from hostmuster.model.inventory import load_fleet
from hostmuster.model.lab_size import choose_size, forget_size
from hostmuster.project import Project


class HostStatus(TypedDict):
    """What `lab.status --json` says of a host. `state`: running, cut or off."""

    address: str
    roles: list[str]
    state: str


def up(project: Project, fleet: str, count: int | None, say: Callable[[str], None]) -> Lab:
    """Bring up the fleet's lab with `count` hosts (None: those its file declares), and pin their keys.

    Raises InputError for a fleet file with mistakes, Refused for a fleet that is no lab.
    """
    tool.require()
    declared = declared_lab(project, fleet, count)
    if count is None:
        forget_size(project, fleet)
        declared = load_fleet(project, fleet, None)
    else:
        # Before the hosts: a lab.up that is killed half-way is then finished, or taken down, as it was asked for.
        choose_size(project, fleet, count)
    machines = [Machine(h.name, h.address, h.debian, h.roles) for h in declared.hosts.values()]
    return Lab.up(machines, name=fleet, known_hosts=project.known_hosts(fleet), say=say)


def declared_lab(project: Project, fleet: str, count: int | None = None) -> Fleet:
    """The fleet, of `count` hosts. Raises InputError for a fleet file with mistakes, Refused for one that is no lab."""
    declared = load_fleet(project, fleet, None, count=count)
    if not declared.lab:
        raise Refused(
            f"the fleet {fleet} is not declared as a lab",
            where=str(project.fleet_file(fleet)),
            remedy="only a fleet whose file says `lab: true` is made of throwaway hosts on this machine",
        )
    return declared


def down(project: Project, fleet: str) -> None:
    """Take the fleet's lab away, whatever is left of it; nothing happens when there is none."""
    wreck.clear(fleet)
    forget_size(project, fleet)
    project.known_hosts(fleet).unlink(missing_ok=True)


def require_up(fleet: str) -> None:
    """Raises Refused while the fleet's lab is down: its addresses would then be looked for outside this machine."""
    try:
        is_up = Lab.open(fleet).switch.is_on
    except Refused:
        is_up = False
    if not is_up:
        raise Refused("the lab is down", where=f"lab {fleet}", remedy=f"bring it up: hostmuster lab.up --fleet {fleet}")


def status(fleet: str) -> dict[str, HostStatus]:
    """Every host of the fleet's lab, empty when it is not up."""
    tool.require()
    try:
        lab = Lab.open(fleet)
    except Refused:
        return {}
    return {
        name: HostStatus(address=host.machine.address, roles=list(host.machine.roles), state=host.state)
        for name, host in lab.hosts.items()
    }
