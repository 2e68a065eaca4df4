"""The compile stage: what every item asks of every host, found before any connection is made."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from hostmuster.engine.expansion import Expansion, too_large
from hostmuster.engine.lint import lint
from hostmuster.errors import InputError, Problem, Refused
from hostmuster.item import Effect, Item, ItemModule
from hostmuster.model.fleet import Fleet, Host
from hostmuster.project import Project
from hostmuster.resources.directory import Directory
from hostmuster.resources.file import File
from hostmuster.resources.link import Link
from hostmuster.resources.package import Package
from hostmuster.resources.resource import Resource
from hostmuster.resources.unit import Unit
from hostmuster.resources.user import User
from hostmuster.template import Templates

ROOTS = (
    "/etc/",
    "/home/",
    "/opt/",
    "/root/",
    "/srv/",
    "/usr/local/",
    "/var/lib/",
    "/var/log/",
    "/var/cache/",
)
"""Where an item may put something."""

DEBIAN_USERS = frozenset(
    (
        "root", "daemon", "bin", "sys", "sync", "games", "man", "lp", "mail", "news", "uucp", "proxy", "www-data",
        "backup", "list", "irc", "_apt", "nobody", "messagebus", "systemd-network", "systemd-timesync", "sshd",
        "_chrony", "adm", "tty", "disk", "sudo", "utmp", "shadow", "staff", "users", "nogroup", "systemd-journal",
        "ssl-cert", "postgres", "tinyproxy",
    )
)  # fmt: skip
"""Owners and groups that Debian or a declared package makes."""


@dataclass(frozen=True)
class Compiled:
    """One item on one host. `units`: those of the host's items that are left out, by which its restarts are proved."""

    item: Item
    text: str
    resources: tuple[Resource, ...]
    effects: tuple[Effect, ...]
    units: tuple[Unit, ...] = ()


@dataclass(frozen=True)
class Catalogue:
    """All items of all hosts, in the order of the checklist."""

    fleet: Fleet
    hosts: Mapping[str, tuple[Compiled, ...]]


def checklist(project: Project) -> tuple[ItemModule, ...]:
    """The project's own checklist: deploys/checklist.py. Raises Refused where it cannot be imported."""
    # First, not somewhere: pyinfra appends its working directory, behind a repository that is installed as editable.
    if sys.path[:1] != [str(project.root)]:
        sys.path.insert(0, str(project.root))
    try:
        module = importlib.import_module("deploys.checklist")
    except ImportError as error:
        raise Refused(
            f"the checklist cannot be read: {error}",
            where=str(project.root / "deploys" / "checklist.py"),
            remedy="it must define CHECKLIST, a tuple of item modules",
        ) from error
    return tuple(module.CHECKLIST)


def compile_fleet(fleet: Fleet, items: Iterable[ItemModule], *, only: str | None = None) -> Catalogue:
    """Every item's resources and effects for every host.

    Raises InputError with all problems: what an item finds wrong, a template that cannot be rendered, two items
    that claim one thing, a path outside the allowed roots, an owner that nobody makes, an artefact its consumer's
    parser refuses.
    """
    modules = tuple(items)
    problems: list[Problem] = []
    expansion = Expansion(Templates(fleet.project.templates))
    hosts = {name: tuple(_compile(host, modules, expansion, problems)) for name, host in fleet.hosts.items()}
    problems.extend(expansion.problems)
    for name, compiled in hosts.items():
        problems.extend(_conflicts(name, compiled))
        problems.extend(_misplaced(name, compiled))
        problems.extend(too_large(name, (resource for part in compiled for resource in part.resources)))
    problems.extend(lint(_artefacts(hosts)))
    if problems:
        raise InputError(_once(problems))
    if only is not None:
        hosts = {name: tuple(_alone(only, compiled)) for name, compiled in hosts.items()}
    return Catalogue(fleet, hosts)


def _alone(only: str, compiled: tuple[Compiled, ...]) -> Iterator[Compiled]:
    others = (r for part in compiled if part.item.name != only for r in part.resources)
    units = tuple(r for r in others if isinstance(r, Unit))
    yield from (replace(part, units=units) for part in compiled if part.item.name == only)


def _compile(
    host: Host, modules: tuple[ItemModule, ...], expansion: Expansion, problems: list[Problem]
) -> Iterator[Compiled]:
    for module in modules:
        if not module.ITEM.applies_to(host):
            continue
        text = (module.__doc__ or "").partition("\n")[0]
        try:
            resources = tuple(expansion.expand(host, module.resources(host)))
            yield Compiled(module.ITEM, text, resources, tuple(module.effects(host)))
        except InputError as error:
            problems.extend(error.problems)
        except Refused as error:
            problems.append(Problem(error.where or f"{host.name}, {module.ITEM.name}", error.what, error.remedy))


def _artefacts(hosts: Mapping[str, tuple[Compiled, ...]]) -> Iterator[tuple[str, str, File]]:
    for host, compiled in hosts.items():
        for part in compiled:
            yield from ((host, part.item.name, r) for r in part.resources if isinstance(r, File))


def _conflicts(host: str, compiled: Iterable[Compiled]) -> Iterator[Problem]:
    claimed: dict[str, str] = {}
    for part in compiled:
        for resource in part.resources:
            if isinstance(resource, Package):
                continue  # installed is installed, however many items ask for it
            before = claimed.setdefault(resource.claim, part.item.name)
            if before is not part.item.name or sum(r.claim == resource.claim for r in part.resources) > 1:
                what = f"{resource.id} is declared twice, by {before} and by {part.item.name}"
                yield Problem(host, what, "declare it in one item; the other may rely on the order of the checklist")


def _misplaced(host: str, compiled: Iterable[Compiled]) -> Iterator[Problem]:
    parts = tuple(compiled)
    known = DEBIAN_USERS | {r.name for part in parts for r in part.resources if isinstance(r, User)}
    for part in parts:
        for resource in part.resources:
            if not isinstance(resource, File | Directory | Link):
                continue
            where = f"{host}, {part.item.name}"
            if not resource.path.startswith(ROOTS) or resource.path.startswith("/var/lib/hostmuster/"):
                yield Problem(
                    where,
                    f"{resource.path} is outside what an item may write",
                    f"choose a path under {', '.join(ROOTS)}",
                )
            if isinstance(resource, Link):
                continue
            for name in {resource.owner, resource.group} - known:
                yield Problem(
                    where,
                    f"{resource.path} is to belong to {name}, whom nobody makes",
                    f"declare User({name!r}) before it, or correct the name",
                )


def _once(problems: Iterable[Problem]) -> list[Problem]:
    return list(dict.fromkeys(problems))
