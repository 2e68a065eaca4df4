"""A rule set as loaded and as declared: equal in effect is equal, and its undo knows what was there."""

from __future__ import annotations

import pytest

from hostmuster.resources.resource import Observation
from hostmuster.resources.rule import meaning
from hostmuster.resources.rule_set import LOADED, RuleSet
from hostmuster.resources.step import Run
from tests.unit.firewall.namespace import inside, text

OWN = ("HOSTMUSTER-IN", "HOSTMUSTER-DOCKER")
WANT = text(
    "-i lo -j ACCEPT", "-s 10.0.0.1/32 -p 112 -j ACCEPT", "-m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT"
)
RULES = RuleSet("firewall", OWN, {"4": WANT, "6": text("-j DROP")}, ("/load",))


def seen_in(script: str) -> Observation:
    """What the probe says in a namespace after a script in which `load "$1" "$2"` loads what is declared."""
    output = inside(f'{script}\nshift 2\n"$@"', *RULES.rules.values(), *LOADED.argv, "4", "6")
    said = LOADED.split(output, ["4", "6"])
    return Observation({(LOADED.name, family): text for family, text in said.items()})


def differences(script: str) -> list[str]:
    """The differences that are found then."""
    return [f"{one.aspect} is {one.have}" for one in RULES.compare(seen_in(script))]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("-p tcp -m tcp --dport 22 -j ACCEPT", "-p tcp --dport 22 -j ACCEPT"),
        ("-s 10.0.0.1/32 -p vrrp -j ACCEPT", "-p 112 -s 10.0.0.1 -j ACCEPT"),
        ("-m conntrack --ctstate ESTABLISHED,RELATED -j A", "-m conntrack --ctstate RELATED,ESTABLISHED -j A"),
        ('-p tcp -m comment --comment "a \\"b\\" c" -j ACCEPT', "-p tcp -m comment --comment web -j ACCEPT"),
    ],
)
def test_rules_that_do_the_same_are_the_same(one: str, other: str) -> None:
    assert meaning(one) == meaning(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("! -s 10.0.0.1/32 -j DROP", "-s 10.0.0.1/32 -j DROP"),
        ("-s 10.0.0.1/32 ! -d 10.0.0.2 -j DROP", "! -s 10.0.0.1/32 -d 10.0.0.2 -j DROP"),
        ("-p tcp --dport 22 -j ACCEPT", "-p tcp --sport 22 -j ACCEPT"),
        ("-j ACCEPT", "-j DROP"),
    ],
)
def test_rules_that_do_something_else_are_not(one: str, other: str) -> None:
    assert meaning(one) != meaning(other)


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ('load "$1" "$2"', []),
        ('load "$1" "$2"; iptables -Z', []),
        ('load "$1" "$2"; iptables -N other; iptables -A INPUT -j other; iptables -A other -j DROP', []),
        ('load "$1" "$2"; iptables -N f2b-x; iptables -I INPUT -p tcp -j f2b-x', []),
        (
            'load "$1" "$2"; iptables -I INPUT -p tcp -j ACCEPT',
            ["IPv4 jumps is INPUT to behind others: HOSTMUSTER-IN"],
        ),
        ('load "$1" "$2"; ip6tables -D INPUT -j HOSTMUSTER-IN', ["IPv6 jumps is none"]),
        (
            'load "$1" "$2"; iptables -R INPUT 1 -p tcp -j HOSTMUSTER-IN',
            ["IPv4 jumps is INPUT to HOSTMUSTER-IN under a condition"],
        ),
        ('load "$1" "$2"; ip6tables -F HOSTMUSTER-IN', ["IPv6 HOSTMUSTER-IN is without `-j DROP`"]),
        ('load "$1" "$2"; ip6tables -A HOSTMUSTER-IN -j LOG', ["IPv6 HOSTMUSTER-IN is with `-j LOG`"]),
        (
            'load "$1" "$2"; iptables -D HOSTMUSTER-IN 1; iptables -A HOSTMUSTER-IN -i lo -j ACCEPT',
            ["IPv4 HOSTMUSTER-IN is in another order"],
        ),
        ('load "$1" "$2"; iptables -N HOSTMUSTER-DOCKER', ["IPv4 HOSTMUSTER-DOCKER is there"]),
        (
            ":",
            [
                "IPv4 HOSTMUSTER-IN is missing",
                "IPv4 jumps is none",
                "IPv6 HOSTMUSTER-IN is missing",
                "IPv6 jumps is none",
            ],
        ),
    ],
)
def test_every_drift_is_named_and_nothing_else(script: str, found: list[str]) -> None:
    assert differences(script) == found


@pytest.mark.parametrize(
    "before",
    [
        ":",
        'load "$1" "$2"; iptables -I HOSTMUSTER-IN -p tcp --dport 9 -m comment --comment "by \\"hand\\"" -j ACCEPT',
        'load "$1" "$2"; ip6tables -D INPUT -j HOSTMUSTER-IN',
    ],
)
def test_reverted_the_chains_are_as_they_were(before: str) -> None:
    (step,) = RULES.steps(seen_in(before))
    assert isinstance(step, Run)
    assert step.undo[:2] == ("sh", "-c")
    save = "for ipt in iptables ip6tables; do $ipt-save -t filter | grep -v '^#' | sed 's/ \\[.*//'; done\n"
    undone = f'{before}\n{save}echo ---\nload "$1" "$2"; shift 2\n"$@"\n{save}'
    was, _, now = inside(undone, *RULES.rules.values(), *step.undo).partition("---\n")
    assert now == was
