"""What hosts are compared in with each other: gathered from items and kinds of resources at the compile stage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cache
from typing import Protocol, cast, runtime_checkable

from hostmuster.item import ItemModule
from hostmuster.model.fleet import Host
from hostmuster.resources.alike import Alike, Offering
from hostmuster.resources.directory import Directory
from hostmuster.resources.resource import Probe, Resource
from hostmuster.resources.stat import STAT
from hostmuster.resources.used_paths import CODE


@runtime_checkable
class OfferingModule(Protocol):
    """An item module that offers more than its resources do."""

    def alike(self, host: Host) -> Iterator[Alike]:
        """What hosts with this item have alike although no value of it is declared. Pure."""


def offered(host: Host, module: ItemModule, resources: Iterable[Resource]) -> tuple[Alike, ...]:
    """What one item offers on one host, each thing once."""
    found = [one for resource in resources if _offers(type(resource)) for one in cast("Offering", resource).alike()]
    own = module.alike(host) if isinstance(module, OfferingModule) else ()
    return tuple(dict.fromkeys((*found, *own)))


@cache
def _offers(kind: type) -> bool:
    # isinstance with a protocol takes longer than all the rest of it, and there are thousands of resources.
    return hasattr(kind, "alike")


Places = Mapping[Probe, Set[str]]
"""By the question that would be asked, the paths of which items say themselves what is there."""


def declared(resources: Iterable[Resource]) -> Places:
    """What a host's items write, and every folder above it."""
    written: set[str] = set()
    there: set[str] = set()
    for one in resources:
        (there if isinstance(one, Directory) else written).update(_upward(one.claim))
    # What others put into a declared folder is compared all the same, where it is code.
    return {STAT: written | there, CODE: written}


def undeclared(offers: Iterable[Alike], places: Places) -> tuple[Alike, ...]:
    """Those that are not the items' own to compare."""
    return tuple(offer for offer in offers if offer.path not in places.get(offer.question.probe, ()))


def _upward(path: str) -> Iterator[str]:
    """/a/b/c, /a/b and /a for /a/b/c."""
    while path:
        yield path
        path = path.rpartition("/")[0]
