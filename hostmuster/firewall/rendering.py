"""The policy as the text that iptables-restore loads, one for each family."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from hostmuster.errors import InputError, Problem
from hostmuster.firewall.policy import Policy, Rule
from hostmuster.firewall.source import FAMILIES, Family, prefixes
from hostmuster.model.fleet import Host

IN, DOCKER = "HOSTMUSTER-IN", "HOSTMUSTER-DOCKER"
OWN = (IN, DOCKER)
MANAGEMENT = "management"


def render(host: Host, policy: Policy, family: Family) -> str:
    """The whole rule set. Raises InputError: a rule that is there twice, one that opens nothing in any family."""
    _refuse(host, policy)
    jumps, chains = [("INPUT", IN)], {IN: list(_incoming(host, policy, family))}
    if policy.published is not None:
        # IPv6 has no DOCKER-USER in Docker 20.10: there it is FORWARD itself.
        jumps.append(("DOCKER-USER" if family == 4 else "FORWARD", DOCKER))
        chains[DOCKER] = list(_published(host, policy, policy.published, family))
    return _text(jumps, chains)


def fallback(host: Host, policy: Policy, family: Family) -> str:
    """What is loaded at boot where the kernel refuses the rule set: operators come in, nobody else."""
    return _text([("INPUT", IN)], {IN: [*_always(host, policy, family), "-j DROP"]})


def _text(jumps: list[tuple[str, str]], chains: dict[str, list[str]]) -> str:
    lines = ["# Made by hostmuster; changes by hand are taken back.", f"# own {' '.join(OWN)}"]
    lines += [f"# jump {base} {chain}" for base, chain in jumps]
    lines += ["*filter", *(f":{chain} - [0:0]" for chain in chains)]
    lines += [f"-A {chain} {rule}" for chain, rules in chains.items() for rule in rules]
    return "\n".join([*lines, "COMMIT", ""])


def _always(host: Host, policy: Policy, family: Family) -> Iterator[str]:
    """What nothing may come before: a running session may not be known to conntrack, so its port asks for no state."""
    yield "-i lo -j ACCEPT"
    yield "-m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT"
    port = policy.management_port or host.port
    for prefix in prefixes(host, policy.management_from, family):
        yield f"{_from(prefix)}-p tcp -m tcp --dport {port} -m comment --comment {MANAGEMENT} -j ACCEPT"
    # All of it: without neighbour discovery (133-136) IPv6 dies; answers to DHCPv6 go to no known connection.
    yield "-p icmp -j ACCEPT" if family == 4 else "-p ipv6-icmp -j ACCEPT"
    if family == 6:
        yield "-s fe80::/10 -p udp -m udp --dport 546 -j ACCEPT"


def _incoming(host: Host, policy: Policy, family: Family) -> Iterator[str]:
    yield from _always(host, policy, family)
    for prefix in prefixes(host, policy.vip_peers, family):
        yield f"{_from(prefix)}-p 112 -m comment --comment vip-peer -j ACCEPT"
    for rule in policy.allow:
        yield from _ports(host, rule, family)
    if family == 6:
        # Docker 20.10 publishes over IPv6 by a proxy on the host itself.
        for rule in policy.published or ():
            yield from _ports(host, rule, family)
    if policy.default == "drop":
        yield "-j DROP"


def _ports(host: Host, rule: Rule, family: Family) -> Iterator[str]:
    for prefix in prefixes(host, rule.sources, family):
        for port in rule.ports:
            match = f"-p {rule.protocol} -m {rule.protocol} --dport {port}"
            yield f"{_from(prefix)}{match} -m comment --comment {rule.name} -j ACCEPT"


def _published(host: Host, policy: Policy, published: tuple[Rule, ...], family: Family) -> Iterator[str]:
    """By the port that the client asked for: DNAT comes before FORWARD, so --dport would be the container's own."""
    yield "-m conntrack --ctstate RELATED,ESTABLISHED -j RETURN"
    for rule in published:
        for prefix in prefixes(host, rule.sources, family):
            for port in rule.ports:
                match = f"-p {rule.protocol} -m conntrack --ctorigdstport {port} --ctdir ORIGINAL"
                yield f"{_from(prefix)}{match} -m comment --comment {rule.name} -j RETURN"
    if policy.default == "drop":
        yield "-m conntrack --ctstate DNAT -j DROP"


def _from(prefix: str) -> str:
    return f"-s {prefix} " if prefix else ""


def _refuse(host: Host, policy: Policy) -> None:
    problems: list[Problem] = []
    where = str(host.origin("firewall"))
    for word, rules in {"allow": policy.allow, "published": policy.published or ()}.items():
        for family in FAMILIES:
            rendered = [
                f"{_from(prefix)}{rule.protocol} {port}"
                for rule in rules
                for prefix in prefixes(host, rule.sources, family)
                for port in rule.ports
            ]
            twice = [one for one, times in Counter(rendered).items() if times > 1]
            problems += [Problem(where, f"firewall: {word} has `{one}` twice", "keep one of them") for one in twice]
        if policy.default == "accept":
            for rule in rules:
                if any("" not in set(prefixes(host, rule.sources, family)) for family in FAMILIES):
                    what = f"firewall: {word} `{rule.name}` names who may come in, but default accepts everybody"
                    problems.append(Problem(where, what, "write `default: drop`, or from: [anywhere]"))
    if problems:
        raise InputError(list(dict.fromkeys(problems)))
