"""The fleet: hosts that are known to be declared right, with the settings each of them ends up with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from types import MappingProxyType
from typing import Literal

from pydantic import BaseModel

from hostmuster.errors import Refused
from hostmuster.model.drilling import Drilling
from hostmuster.model.numbering import addresses_after, names_after
from hostmuster.model.resolve import Resolved
from hostmuster.model.settings import Origin
from hostmuster.project import Project
from hostmuster.secrets.sealed import Sealed
from hostmuster.ssh.known_hosts import KnownHosts
from hostmuster.ssh.membership import Membership


@dataclass(frozen=True)
class Host:
    """One host of a fleet.

    `address` is an IPv4 literal; `roles` are in the order in which their settings were merged.
    """

    name: str
    address: str
    port: int
    debian: Literal[12, 13]
    roles: tuple[str, ...]
    observed: frozenset[str]
    optional: frozenset[str]
    fleet: Fleet = field(repr=False, compare=False)
    resolved: Resolved = field(repr=False, compare=False)

    @property
    def user(self) -> str:
        """The automation user's name on this host."""
        return self.fleet.user

    def settings(self, item: str) -> BaseModel:
        """The item's settings for this host, checked by the item's own model.

        Raises KeyError for an item that is not on the checklist, or that is not for this host's roles.
        """
        return self.resolved.models[item]

    def origin(self, item: str, *path: str | int) -> Origin:
        """Where a setting came from: the last level that set it or a part of it, else the item's default."""
        return self.resolved.merged.origin((item, *path))

    def enforces(self, item: str) -> bool:
        """Whether the item may change this host; it only looks where `observe` names it at any level (O4)."""
        return item not in self.observed

    def requires(self, item: str) -> bool:
        """Whether the host enters service only once the item holds: not where `not_required` names it."""
        return item not in self.optional


@dataclass(frozen=True, eq=False)
class Fleet:
    """A fleet as declared. `sudo`: whether the automation user's sudo asks for a password.

    `confirm_s`: seconds an armed change waits to be confirmed. `lease_s`: how long a run's lease lives unless it is
    renewed. `silence_s`: how long a host may say nothing before it is taken to hang. `public`: public values of the
    secrets store by name (for example `ssh-ca.pub`), given by whoever loaded the fleet; `secrets`: those of its values
    that items may name, none of them read yet. `project` is where it is declared. `gone`: hosts that left it though the
    file still has them, with the place of their entry. `over`: the memberships that ended; `revoked`: host keys that
    nobody may take, OpenSSH's two words each. `drilling`: the section `drills`.
    """

    name: str
    lab: bool
    user: str
    sudo: Literal["none", "password"]
    confirm_s: int
    hosts: Mapping[str, Host]
    public: Mapping[str, str]
    project: Project
    lease_s: int = 120
    silence_s: int = 30
    secrets: Mapping[str, Sealed] = field(default_factory=dict, repr=False)
    gone: Mapping[str, str] = field(default_factory=dict)
    over: tuple[Membership, ...] = ()
    revoked: tuple[str, ...] = ()
    drilling: Drilling = field(default_factory=Drilling)

    def with_role(self, role: str) -> tuple[Host, ...]:
        """The hosts of a role, in the file's order."""
        return tuple(host for host in self.hosts.values() if role in host.roles)

    def after(self, pins: KnownHosts, places: Mapping[str, str]) -> Fleet:
        """The fleet without the hosts that have left it, as its pins say; `places`: where each host's entry stands."""
        gone = {name: places.get(name, self.name) for name in self.hosts if name in pins.gone}
        revoked = tuple(f"{key.kind} {key.body}" for key in pins.revoked)
        fleet = replace(self, gone=gone, over=pins.over, revoked=revoked)
        return fleet._of(host for name, host in self.hosts.items() if name not in gone)

    def without(self, secret: str) -> Fleet:
        """The fleet as it would be if its store had no secret of that name."""
        public = {name: value for name, value in self.public.items() if name != f"{secret}.pub"}
        secrets = {name: value for name, value in self.secrets.items() if name != secret}
        return replace(self, public=public, secrets=secrets)._of(self.hosts.values())

    def membership(self, host: str) -> Membership:
        """What a host is certified as: its first, or the one after the last that ended."""
        ended = [one.number for one in self.over if one.host == host]
        return Membership(host, max(ended, default=0) + 1)

    def first(self, count: int, taken: frozenset[str]) -> Fleet:
        """The fleet a lab of `count` hosts runs: the first of the file, then more like its last worker (H12), or like
        its last host where it has no worker.

        A further host counts that one's name and address on (worker-2 at .14: worker-3 at .15, or what is free next)
        and has all else of it, origins too. `taken`: addresses that are somebody's already, as a virtual IP's. Raises
        Refused below 1, or when its /24 has no address left.
        """
        if count < 1:
            raise Refused(f"a fleet of {count} hosts", where=self.name, remedy="ask for at least one host")
        kept = list(self.hosts.values())[:count]
        return self._of([*kept, *self._further(count - len(kept), taken)])

    def _of(self, given: Iterable[Host]) -> Fleet:
        """The same fleet of other hosts: each of them belongs to it, and to no other."""
        hosts: dict[str, Host] = {}
        fleet = replace(self, hosts=MappingProxyType(hosts))
        hosts.update({host.name: replace(host, fleet=fleet) for host in given})
        return fleet

    def _further(self, wanted: int, taken: frozenset[str]) -> list[Host]:
        last = (self.with_role("worker") or tuple(self.hosts.values()))[-1]
        names = names_after(last.name, frozenset(self.hosts))
        addresses = addresses_after(last.address, taken)
        pairs = list(islice(zip(names, addresses, strict=False), max(wanted, 0)))
        if len(pairs) < wanted:
            raise Refused(
                f"no address is left for {wanted} more hosts after {last.name}",
                where=self.name,
                remedy="declare hosts in another network, or ask for fewer",
            )
        return [replace(last, name=name, address=address) for name, address in pairs]
