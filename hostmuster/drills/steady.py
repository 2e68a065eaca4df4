"""Whether a fleet is steady: every line of every host holds, servers are ready, each virtual IP has one owner, and
nothing that a drill makes is left anywhere."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Iterator

from hostmuster.drills.evidence import HostLines, Shown, Steady
from hostmuster.drills.faults.cut import TABLE
from hostmuster.drills.faults.disk import FILE
from hostmuster.drills.scene import Scene
from hostmuster.engine import fleet_run
from hostmuster.engine.connection import connections
from hostmuster.engine.opening import Opening
from hostmuster.engine.outcome import HostOutcome
from hostmuster.engine.record import Record
from hostmuster.engine.visit import Visit
from hostmuster.errors import HostmusterError
from hostmuster.model.fleet import Fleet, Host
from hostmuster.onhost.program import line

LEFT = f"""
ls -d /var/lib/hostmuster/change /var/lib/hostmuster/script {FILE} 2>/dev/null
ls -d /etc/systemd/system/hostmuster-revert.service 2>/dev/null
systemctl list-units --plain --no-legend 'hostmuster-revert*' 'hostmuster-drill*'
nft list table inet {TABLE} 2>/dev/null
find /run/systemd/system -maxdepth 1 -lname /dev/null
true
"""


def proof(opening: Opening, visits: Iterable[Visit], record: Record) -> dict[str, HostLines]:
    """Every cheap effect of these hosts, asked until it holds or its deadline has passed. Leases stay as they are."""
    catalogue, quiet = opening.catalogue.hosts, record.quiet()
    proofs = [
        Visit(catalogue[one.host.name], one.hold.connection, None, quiet, opening.signer, gate=one.gate)
        for one in visits
    ]
    fleet_run.each(proofs, lambda one: one.prove())
    return {one.host.name: lines(one.outcome) for one in proofs}


def lines(outcome: HostOutcome) -> HostLines:
    """How a host's lines ended."""
    found = outcome.items
    failed = {name: one.reason or one.status for name, one in found.items() if one.status not in ("ok", "not_run")}
    if outcome.error:
        failed = {"the host itself": outcome.error, **failed}
    not_run = tuple(name for name, one in found.items() if one.status == "not_run")
    return HostLines(ok=sum(one.status == "ok" for one in found.values()), failed=failed, not_run=not_run)


def steady(opening: Opening, scene: Scene, record: Record) -> Steady:
    """All that is told of a steady state."""
    hosts = proof(opening, scene.visits.values(), record)
    now = scene.now
    return Steady(
        hosts=hosts,
        ready=dict(now.ready) if now else {},
        virtual_ips={str(address): owners(scene, address) for address in virtual_ips(scene)},
        queue=dict(now.depth) if now and now.depth else None,
    )


def virtual_ips(scene: Scene) -> list[str]:
    """As the fleet's ingress hosts declare them, without their prefix."""
    return declared(scene.ground.fleet)


def declared(fleet: Fleet) -> list[str]:
    """The virtual IPs of a fleet."""
    found: dict[str, None] = {}
    for host in fleet.hosts.values():
        settings = host.resolved.models.get("virtual_ip")
        for address in getattr(settings, "addresses", ()):
            found[str(ipaddress.ip_interface(str(address)).ip)] = None
    return list(found)


def owner(opening: Opening) -> str | None:
    """The host that has the first virtual IP now; None where there is none, or nobody can be asked."""
    addresses = declared(opening.fleet)
    hosts = [host for host in opening.fleet.hosts.values() if "virtual_ip" in host.resolved.models]
    for name, way in connections(hosts, opening.access()).items() if addresses else ():
        try:
            said = way.run(line("probe", "has", "ip", "-o", "address", "show", "to", addresses[0]))["has"].output
        except HostmusterError:
            continue
        finally:
            way.close()
        if said.strip():
            return name
    return None


def owners(scene: Scene, address: str) -> tuple[str, ...]:
    """The hosts that have it on an interface."""
    found = []
    for host in holders(scene):
        try:
            said = scene.ask(host.name, "ip", "-o", "address", "show", "to", address)
        except HostmusterError:
            continue
        if said.output.strip():
            found.append(host.name)
    return tuple(found)


def holders(scene: Scene) -> list[Host]:
    """The hosts with the item virtual_ip."""
    return [host for host in scene.ground.fleet.hosts.values() if "virtual_ip" in host.resolved.models]


def leftovers(visits: Iterable[Visit]) -> Iterator[Shown]:
    """What a fault or its undoing would have left on a host: files, rules, timers, masks."""
    for visit in visits:
        name = f"nothing is left on {visit.host.name}"
        try:
            said = visit.hold.run(line("probe", "left", "sh", "-c", LEFT))["left"].output.strip()
        except (HostmusterError, KeyError) as error:
            yield Shown(name=name, ok=False, seen=f"it could not be asked: {error}")
        else:
            yield Shown(name=name, ok=not said, seen=said or "no file, rule, timer or mask")


def one_owner(scene: Scene) -> Iterator[Shown]:
    """Of each virtual IP; and packets go there (H22)."""
    now = scene.now
    for address in virtual_ips(scene):
        found = owners(scene, address)
        yield Shown(name=f"{address} has one owner", ok=len(found) == 1, seen=", ".join(found) or "nobody")
        to = now.owner(address, holders(scene)) if now else None
        if ":" not in address and to is not None:
            yield Shown(name=f"packets to {address} go to its owner", ok=(to,) == found, seen=to)
