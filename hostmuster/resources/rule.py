"""What one rule of iptables says, however it is written (iptables(8), iptables-extensions(8))."""

from __future__ import annotations

import ipaddress
import shlex
from collections.abc import Mapping

_LONG = {
    "--protocol": "-p",
    "--proto": "-p",
    "--destination": "-d",
    "--dst": "-d",
    "--source": "-s",
    "--src": "-s",
    "--jump": "-j",
    "--match": "-m",
    "--out-interface": "-o",
}
_IMPLIED = {("-m", "tcp"), ("-m", "udp"), ("-m", "comment")}
_PROTOCOLS = {"vrrp": "112", "icmpv6": "ipv6-icmp"}


def meaning(rule: str, numbers: Mapping[str, str] | None = None) -> frozenset[tuple[str, ...]]:
    """A rule's options, each with its words: the same for rules that mean the same.

    Order within a rule does not count, nor do comments, the match that a protocol implies, the spelling of an option,
    a protocol or an address, or whether a user is named or numbered (`numbers`: of users, by name).
    """
    options: list[list[str]] = []
    negated = False
    for word in shlex.split(rule):
        if word == "!":
            negated = True
        elif word.startswith("-"):
            options.append(["!", _LONG.get(word, word)] if negated else [_LONG.get(word, word)])
            negated = False
        elif options:
            options[-1].append(word)
    plain = (_plain(option, numbers or {}) for option in options)
    return frozenset(option for option in plain if option[0] != "--comment" and option not in _IMPLIED)


def _plain(option: list[str], numbers: Mapping[str, str]) -> tuple[str, ...]:
    name, values = (option[1], option[2:]) if option[0] == "!" else (option[0], option[1:])
    negation = option[: len(option) - 1 - len(values)]
    match name:
        case "--syn":
            name, values = "--tcp-flags", ["FIN,SYN,RST,ACK", "SYN"]
        case "--uid-owner":
            values = [numbers.get(value, value) for value in values]
        case "-p":
            values = [_PROTOCOLS.get(value, value) for value in values]
        case "-d" | "-s":
            values = [_network(value) for value in values]
    return (*negation, name, *(",".join(sorted(value.split(","))) for value in values))


def _network(text: str) -> str:
    try:
        return str(ipaddress.ip_network(text, strict=False))
    except ValueError:
        return text  # a mask with holes, of somebody else's
