"""The compile stage: what every item asks of every host, found before any connection is made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from hostmuster.engine.alike import declared, offered, undeclared
from hostmuster.engine.expansion import Expansion, too_large
from hostmuster.engine.foreign import foreign, judged, told
from hostmuster.engine.lint import lint, not_parsed
from hostmuster.engine.placement import outside, unowned
from hostmuster.errors import InputError, Problem, Refused
from hostmuster.item import Effect, Item, ItemModule, LeavingModule
from hostmuster.model.fleet import Fleet, Host
from hostmuster.resources.after_logins import AfterLogins
from hostmuster.resources.alike import Alike
from hostmuster.resources.file import File
from hostmuster.resources.package import Package
from hostmuster.resources.resource import Resource
from hostmuster.resources.unit import Unit
from hostmuster.template import Templates


@dataclass(frozen=True)
class Compiled:
    """One item on one host.

    `alike`: what is compared with other hosts, and not declared. `units`: those of the host's items that are left out,
    by which its restarts are proved. `before`: for an item that serves, those before it on the checklist. `leaving`:
    what a host that leaves the fleet is brought to.
    """

    item: Item
    text: str
    resources: tuple[Resource, ...]
    effects: tuple[Effect, ...]
    units: tuple[Unit, ...] = ()
    before: tuple[Compiled, ...] = ()
    alike: tuple[Alike, ...] = ()
    leaving: tuple[Resource, ...] = ()


@dataclass(frozen=True)
class Catalogue:
    """All items of all hosts, in the order of the checklist. `not_run`: what was not looked at here, in sentences."""

    fleet: Fleet
    hosts: Mapping[str, tuple[Compiled, ...]]
    not_run: tuple[str, ...] = ()


def compile_fleet(
    fleet: Fleet, items: Iterable[ItemModule], *, only: str | None = None, wrong: Iterable[Problem] = ()
) -> Catalogue:
    """Every item's resources and effects for every host. `wrong`: what was found before, told with all the rest.

    Raises InputError with all problems: what an item finds wrong, a template that cannot be rendered, two items
    that claim one thing, a path outside the allowed roots, an owner that nobody makes, an artefact its consumer's
    parser refuses.
    """
    modules = tuple(items)
    problems = list(wrong)
    expansion = Expansion(Templates(fleet.project.templates))
    hosts, whole = {}, {}
    for name, host in fleet.hosts.items():
        before = len(problems)
        hosts[name] = tuple(_compile(host, modules, expansion, problems))
        whole[name] = len(problems) == before
    problems.extend(expansion.problems)
    for name, compiled in hosts.items():
        problems.extend(_conflicts(name, compiled))
        placed = [(f"{name}, {part.item.name}", resource) for part in compiled for resource in part.resources]
        problems.extend(outside(placed))
        if whole[name]:
            # Else the missing user may be one that the item would have made that could not be compiled.
            problems.extend(unowned(placed))
        problems.extend(too_large(name, (resource for part in compiled for resource in part.resources)))
    problems.extend(lint(_artefacts(hosts)))
    if problems:
        raise InputError(_once(problems))
    not_run = tuple(not_parsed(_artefacts(hosts)))
    hosts = {name: tuple(_compared(compiled)) for name, compiled in hosts.items()}
    if only is not None:
        hosts = {name: tuple(_alone(only, compiled)) for name, compiled in hosts.items()}
    return Catalogue(fleet, hosts, not_run)


def _compared(compiled: tuple[Compiled, ...]) -> Iterator[Compiled]:
    places = declared(resource for part in compiled for resource in part.resources)
    yield from (replace(part, alike=undeclared(part.alike, places)) for part in compiled)


def _alone(only: str, compiled: tuple[Compiled, ...]) -> Iterator[Compiled]:
    others = (r for part in compiled if part.item.name != only for r in part.resources)
    units = tuple(r for r in others if isinstance(r, Unit))
    yield from (replace(part, units=units) for part in compiled if part.item.name == only)


def _compile(
    host: Host, modules: tuple[ItemModule, ...], expansion: Expansion, problems: list[Problem]
) -> Iterator[Compiled]:
    before: list[Compiled] = []
    for module in modules:
        item = module.ITEM
        if not item.applies_to(host):
            continue
        text = (module.__doc__ or "").partition("\n")[0]
        where = f"{host.name}, {item.name}"
        try:
            root, remedy = host.fleet.project.root, f"correct the item {item.name}, {_file(module)}"
            with foreign(root, where, remedy):
                resources = tuple(expansion.expand(host, module.resources(host)))
                given = tuple(module.effects(host))
                effects = tuple(replace(one, judge=judged(one.judge, root, where, remedy)) for one in given)
                compared = offered(host, module, resources)
                alike = tuple(replace(one, say=told(one.say, root, where, remedy)) for one in compared)
                undone = module.leaving(host) if isinstance(module, LeavingModule) else ()
                left = tuple(expansion.expand(host, undone))
                # Not kept: what they raise is told here, and whoever asks them later needs no border.
                for one in (*resources, *left):
                    _ = (one.id, one.claim, one.risky)
            ahead = tuple(before) if item.serves else ()
            before.append(Compiled(item, text, resources, effects, before=ahead, alike=alike, leaving=left))
            yield before[-1]
        except InputError as error:
            problems.extend(error.problems)
        except Refused as error:
            problems.append(Problem(error.where or where, error.what, error.remedy))


def _file(module: ItemModule) -> str:
    return str(getattr(module, "__file__", None) or module.__name__)


def _artefacts(hosts: Mapping[str, tuple[Compiled, ...]]) -> Iterator[tuple[str, str, File]]:
    for host, compiled in hosts.items():
        for part in compiled:
            files = (r.file if isinstance(r, AfterLogins) else r for r in part.resources)
            yield from ((host, part.item.name, file) for file in files if isinstance(file, File))


def _conflicts(host: str, compiled: Iterable[Compiled]) -> Iterator[Problem]:
    claimed: dict[str, str] = {}
    for part in compiled:
        for resource in part.resources:
            if isinstance(resource, Package):
                continue  # installed is installed, however many items ask for it
            before = claimed.get(resource.claim)
            claimed[resource.claim] = before or part.item.name
            if before is not None:
                what = f"{resource.id} is declared twice, by {before} and by {part.item.name}"
                yield Problem(host, what, "declare it in one item; the other may rely on the order of the checklist")


def _once(problems: Iterable[Problem]) -> list[Problem]:
    return list(dict.fromkeys(problems))
