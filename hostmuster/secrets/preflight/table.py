"""The table of K1 by what is declared: line by line what holds and what is missing, of the store and the fleet file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hostmuster.errors import InputError, Problem
from hostmuster.secrets.kinds import redis_url
from hostmuster.secrets.preflight import declared_keys, object_storage
from hostmuster.secrets.preflight.environment import Environment
from hostmuster.secrets.preflight.finding import KINDS, OF_KIND, Finding, Line, line_of, missing
from hostmuster.secrets.preflight.stored import Stored

Services = Mapping[str, Sequence[Environment]]


def table(services: Services, stored: Stored) -> list[Finding]:
    """Of the store and of what the fleet file declares. What hosts hold and processes use, others look at."""
    findings = [Finding("store", "", f"{problem.where}: {problem.what}", problem) for problem in stored.problems]
    found = several(services)
    if not found:
        findings.append(Finding("replicas", "", "no service declares that it runs more than once"))
    for name, replicas in found.items():
        findings += _alone(name, replicas)
        findings += _of_service(name, replicas, stored)
    return findings


def several(services: Services) -> dict[str, Sequence[Environment]]:
    """The services whose replicas say that there are several of them, or say it wrongly."""
    return {name: found for name, found in services.items() if _several(found)}


def in_the_way(services: Services, stored: Stored) -> list[Problem]:
    """What is missing of that without which no replica may start, of services that share anything at all (K1).

    One that has nothing but the word that there are several of it has nothing in which two of it could differ.
    """
    sharing = {name: found for name, found in several(services).items() if any(_shares(one, stored) for one in found)}
    return list(dict.fromkeys(found.problem for found in table(sharing, stored) if found.problem))


def _shares(one: Environment, stored: Stored) -> bool:
    named = any(line_of(name) not in (None, "replicas") for name in (*one.values, *one.given))
    return named or any(stored.kinds.get(name) in OF_KIND for name in one.secrets)


def _several(found: Sequence[Environment]) -> bool:
    try:
        said = [one.is_one_of_several for one in found]
    except InputError:
        return True
    return any(said) or sum("BACKEND_MULTI_INSTANCE" in one.values for one in found) > 1


def _alone(service: str, replicas: Sequence[Environment]) -> Iterator[Finding]:
    """The replicas that say they are the only one, or what nobody understands."""
    for one in replicas:
        try:
            if one.is_one_of_several:
                continue
        except InputError as error:
            yield from (missing("replicas", service, one.host, problem) for problem in error.problems)
            continue
        what = f"not true, on one of {len(replicas)} hosts: it would make or take keys of its own"
        problem = Problem(one.where("BACKEND_MULTI_INSTANCE"), what, "set it to true")
        yield missing("replicas", service, one.host, problem)


def _of_service(name: str, replicas: Sequence[Environment], stored: Stored) -> Iterator[Finding]:
    for line, kind in KINDS.items():
        yield from _read_by_all(line, kind, name, replicas, stored)
    for one in replicas:
        yield from (missing("signing key", name, one.host, found) for found in declared_keys.wrong_with(one))
    storage = list(object_storage.wrong_with(replicas))
    yield from (missing("object storage", name, host, found) for host, found in storage)
    if not storage:
        yield Finding("object storage", name, "declared to be shared")
    yield from _redis(name, replicas, stored)


def _read_by_all(
    line: Line, kind: str, service: str, replicas: Sequence[Environment], stored: Stored
) -> Iterator[Finding]:
    """One secret of the kind, which every replica is given, and the same one."""
    names = frozenset(stored.of_kind(kind))
    if not names:
        remedy = f"secrets.set NAME --kind {kind} --generate; without --generate it takes one that is in use"
        yield missing(line, service, "", Problem("the store", f"no secret of kind {kind}", remedy))
        return
    problems = list(_unlike(replicas, names))
    yield from (missing(line, service, host, found) for host, found in problems)
    if not problems:
        yield Finding(line, service, f"every replica is given {', '.join(sorted(replicas[0].secrets & names))}")


def _unlike(replicas: Sequence[Environment], names: frozenset[str]) -> Iterator[tuple[str, Problem]]:
    first, remedy = replicas[0], "declare one reader for the role: docs/rollout.md"
    for one in replicas:
        read = one.secrets & names
        if not read:
            yield one.host, Problem(one.host, f"no reader gives it {' or '.join(sorted(names))}", remedy)
        elif read != first.secrets & names and first.secrets & names:
            yield one.host, Problem(one.host, f"given {', '.join(sorted(read))}, unlike {first.host}", remedy)


def _redis(service: str, replicas: Sequence[Environment], stored: Stored) -> Iterator[Finding]:
    problems = list(object_storage.unequal(replicas, ["REDIS_URL"]))
    for one in replicas:
        declared, secret = one.values.get("REDIS_URL"), one.given.get("REDIS_URL")
        if secret is not None and secret not in stored.of_kind("redis-url"):
            what = f"{secret} is not of kind redis-url, whose rules it must follow"
            problems.append((one.host, Problem(f"{one.host}, REDIS_URL", what, "secrets.set NAME --kind redis-url")))
        elif secret is None and declared is None:
            what = "not set: each process would count for itself"
            remedy = "declare it, or a reader of a redis-url secret"
            problems.append((one.host, Problem(f"{one.host}, REDIS_URL", what, remedy)))
        elif declared is not None and (wrong := redis_url.wrong_with(declared)):
            problems.append((one.host, Problem(one.where("REDIS_URL"), wrong, "name a Redis that all hosts reach")))
    if len({one.given.get("REDIS_URL") for one in replicas}) > 1:
        what = "REDIS_URL is not given from the same secret everywhere"
        problems.append(("", Problem(service, what, "declare one reader")))
    yield from (missing("Redis", service, host, found) for host, found in problems)
    if not problems:
        yield Finding("Redis", service, "one for all")
