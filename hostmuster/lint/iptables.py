"""Rule sets of own chains (iptables-restore(8)), loaded for real into an empty network namespace; our own rules too.

`iptables-restore --test` is no proof: it takes jumps to chains that are not there, and `:INPUT REJECT`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hostmuster.lint.linter import Artefact, Said
from hostmuster.lint.parser import read_alone, version_of

remedy = "correct the firewall's settings in the fleet file"
programs = "iptables, in a namespace of its own"

_VERDICT = re.compile(r"-A (\S+) -j (DROP|REJECT)\b")
_FIRST = {
    "loopback": "-i lo ",
    "established connections": "ESTABLISHED",
    "the management port": "--comment management ",
}


def version() -> str | None:
    """iptables', by its file. None too where nobody may make a namespace."""
    return version_of("iptables-restore", alone=True)


def parse(artefacts: Sequence[Artefact]) -> Said:
    """One load an artefact: some ten milliseconds each. The namespace goes with the process."""
    return {artefact: _load(artefact) for artefact in artefacts}


def traps(artefact: Artefact) -> Iterator[str]:
    """What loads and is yet never meant."""
    lines = artefact.content.decode("utf-8", "replace").splitlines()
    if sum(line.startswith("*") for line in lines) != 1 or "*filter" not in lines:
        yield "not the one table filter: of two tables the first would stay when the second is refused"
    for number, line in enumerate(lines, 1):
        yield from (f"line {number}: {said}" for said in _odd(line, _is_v6(artefact)))
    yield from _order(lines, _is_v6(artefact))
    rules = [line for line in lines if line.startswith("-A ")]
    yield from (f"`{rule}` is there twice" for rule in dict.fromkeys(rules) if rules.count(rule) > 1)


def _odd(line: str, v6: bool) -> Iterator[str]:
    words = line.split()
    if line.startswith(":") and not line.startswith(":HOSTMUSTER-"):
        yield f"{words[0][1:]} is not ours: to declare a chain flushes it, or sets its policy"
    elif line.startswith("-") and not line.startswith("-A HOSTMUSTER-"):
        yield f"`{line}` changes a chain that is not ours"
    if line.startswith("-") and ("!" in words or any(quote in line for quote in "\"'\\")):
        yield "negations and quotes are read differently by whoever compares the rules: write it without"
    if v6 and re.search(r"-p icmp\b|--reject-with icmp-", line):
        yield "icmp is IPv4's: write ipv6-icmp, icmp6-port-unreachable; else neighbour discovery dies"


def _order(lines: Sequence[str], v6: bool) -> Iterator[str]:
    """An unconditional verdict hides all that follows, and must itself follow what lets the operator in.

    Hosts have IPv4 addresses in the fleet file, so IPv6 need not let an operator in.
    """
    first = {what: sign for what, sign in _FIRST.items() if not (v6 and what == "the management port")}
    ended: dict[str, str] = {}
    before: dict[str, list[str]] = {}
    for line in lines:
        words = line.split()
        if words[:1] != ["-A"] or len(words) < 2:
            continue
        chain = words[1]
        if chain in ended:
            yield f"`{line}` never matches after `{ended[chain]}`"
        elif _VERDICT.match(line):
            ended[chain] = line
            if chain.endswith("-IN"):
                accepted = [rule for rule in before.get(chain, ()) if rule.endswith("-j ACCEPT")]
                missing = [what for what, sign in first.items() if not any(sign in rule for rule in accepted)]
                if missing:
                    yield f"`{line}` comes before {', '.join(missing)}: it would lock us out"
        before.setdefault(chain, []).append(line)


def _is_v6(artefact: Artefact) -> bool:
    return artefact.name.startswith("v6")


def _load(artefact: Artefact) -> list[str]:
    program = "ip6tables-restore" if _is_v6(artefact) else "iptables-restore"
    heard = read_alone(artefact, program)
    if heard.status == 0:
        return []
    return [line for line in heard.lines if not line.startswith("Try ")] or [f"exit {heard.status}"]
