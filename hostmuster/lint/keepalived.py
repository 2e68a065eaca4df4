"""keepalived's configuration (keepalived.conf(5)), read by `keepalived -t` in a network of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from hostmuster.lint.linter import Artefact, Said
from hostmuster.lint.parser import read_alone, version_of
from hostmuster.lint.vrrp import Instance, instances, scripts

remedy = "correct the template, or what the fleet file says of the shared address"
programs = "keepalived and ip, in a namespace of its own"

_SCRIPT = re.compile(rb'(?m)^(\s*script\s+)("[^"]*"|\S+)')
_USER = re.compile(rb"(?m)^(\s*script_user\s+)\S+.*")
_PASSWORD = re.compile(r'"?[A-Za-z0-9]{1,8}"?')
_ONLY_THE_HOST_KNOWS = "due to insecure"
"""Who may write a script: to an ordinary user's namespace all files of this machine are somebody else's."""
_IN_PLACE = (
    'for name in $1; do ip link add "$name" type bridge; done; mount -t tmpfs none /run && exec keepalived -t -f "$2"'
)
"""Interfaces are the host's own: here there are others of their names."""


def version() -> str | None:
    """keepalived's, by its file."""
    return version_of("keepalived", "ip", alone=True)


def parse(artefacts: Sequence[Artefact]) -> Said:
    """One call an artefact. Whether a script is there only its host knows, and says before the switch."""
    return {artefact: _tested(artefact) for artefact in artefacts}


def traps(artefact: Artefact) -> Iterator[str]:
    """What `-t` takes, and what leaves the address on a broken node or on both."""
    text = artefact.content.decode("utf-8", "replace")
    weights, found = scripts(text), list(instances(text))
    for one, other in combinations(found, 2):
        if (one.interface, one.family, one.router) == (other.interface, other.family, other.router):
            yield f"{one.name} and {other.name} both have the VRID {one.router} on {one.interface}"
    for one in found:
        yield from (f"{one.name}: {said}" for said in _instance(one, weights))


def between(artefacts: Mapping[str, Artefact]) -> Iterator[tuple[str, str]]:
    """By host, what is wrong with several of them together: members of one virtual router must agree."""
    found = [
        (host, one, scripts(text))
        for host, text in ((host, artefact.content.decode("utf-8", "replace")) for host, artefact in artefacts.items())
        for one in instances(text)
    ]
    for (first, one, weights), (second, other, _) in combinations(found, 2):
        if first == second or one.family != other.family:
            continue
        if one.router != other.router and not set(one.addresses) & set(other.addresses):
            continue
        yield from _pair(first, one, second, other)
        yield from _pair(second, other, first, one)
        yield from ((first, f"{one.name}: {said}") for said in _disagreement(second, one, other))
        yield from ((first, f"{one.name}: {said}") for said in _weights(one, other, weights))


def _instance(one: Instance, weights: Mapping[str, int | None]) -> Iterator[str]:
    if one.nopreempt and any(weights.get(name) for name in one.tracks):
        yield "nopreempt with a weighted script: the address stays on the node whose check fails"
    if one.peers and one.source is None:
        yield "unicast_peer without unicast_src_ip: nothing says which of them this host is"
    if one.source in one.peers:
        yield f"the host itself ({one.source}) is among unicast_peer"
    if one.password is not None and not _PASSWORD.fullmatch(one.password):
        yield "auth_pass is 1 to 8 letters and digits: `#` and `!` begin a comment, the rest is cut off"
    elif one.password is not None and not one.password.startswith('"'):
        yield "auth_pass stands without quotes"


def _pair(host: str, one: Instance, other_host: str, other: Instance) -> Iterator[tuple[str, str]]:
    if one.source and other.source and other.source not in one.peers and (one.peers or other.peers):
        yield host, f"{one.name}: {other_host} ({other.source}) is missing from unicast_peer, so both would be master"


def _disagreement(second: str, one: Instance, other: Instance) -> Iterator[str]:
    if one.router != other.router:
        yield f"virtual_router_id is {one.router}, and {other.router} on {second}: both would hold the address"
    elif set(one.addresses) != set(other.addresses):
        yield f"virtual_router_id {one.router} is also {second}'s, for other addresses"
    if one.password != other.password:
        yield f"auth_pass is not that of {second}: both would hold the address"


def _weights(one: Instance, other: Instance, weights: Mapping[str, int | None]) -> Iterator[str]:
    gap = abs(one.priority - other.priority)
    for name in {*one.tracks} & {*other.tracks}:
        weight = weights.get(name) or 0
        if weight and abs(weight) <= gap:
            yield f"weight {weight} of {name} does not outweigh the gap of {gap} between the priorities"


def _tested(artefact: Artefact) -> Sequence[str]:
    text = artefact.content.decode("utf-8", "replace")
    names = " ".join(sorted({one.interface for one in instances(text) if one.interface}))
    # A user of the host's, too, this machine has not.
    content = _USER.sub(rb"\1root", _SCRIPT.sub(rb'\1"/bin/true"', artefact.content))
    heard = read_alone(artefact, "sh", "-c", _IN_PLACE, "sh", names, content=content)
    if heard.status == 0:
        return ()
    return [line for line in heard.lines or (f"exit {heard.status}",) if _ONLY_THE_HOST_KNOWS not in line]
