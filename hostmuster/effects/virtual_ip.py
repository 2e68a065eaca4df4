"""The virtual IP as seen on the wire: its one owner, whom neighbours find, and that it answers."""

from __future__ import annotations

from collections.abc import Iterable

from hostmuster.item import Answer, Effect, Seen
from hostmuster.vip.membership import Router
from hostmuster.vip.settings import VirtualIp

# Broadcasts: each host that holds an address answers, so a second owner shows; the own kernel hears none of it. Then
# whom this host itself would send to: the neighbour table right after an answer, since it keeps what is long gone.
_OWNERS = r"""
dev=$1 own=$2
shift 2
heard() {
    arping "$1" -c 2 -w 2 -I "$dev" -s "$own" "$2" 2>&1 |
        sed -nE 's/.* reply from [^ ]+ \[([0-9A-Fa-f:]+)\].*/\L\1/p' | sort -u
}
while [ "$1" != -- ]; do
    echo "host $1 $(heard -f "$2")"
    shift 2
done
shift
for address; do
    if [ -n "$(ip -o address show dev "$dev" to "$address")" ]; then
        echo "here $address"
    elif ping -q -c 1 -W 1 "$address" >/dev/null 2>&1; then
        echo "found $address $(ip neigh show to "$address" dev "$dev" | sed -nE 's/.* lladdr ([0-9a-f:]+).*/\1/p')"
    fi
    case $address in *:*) continue ;; esac
    for mac in $(heard -b "$address"); do echo "heard $address $mac"; done
done"""
_CONNECT = r"""
port=$1
shift
for address; do
    if timeout 2 bash -c 'exec 3<>"/dev/tcp/$0/$1"' "$address" "$port" 2>/dev/null; then echo "open $address"; fi
done"""


def proxy(script: str, url: str) -> Effect:
    """What keepalived asks each second succeeds."""

    def judge(answer: Answer) -> Seen:
        return Seen(answer.status == 0, "it answers" if answer.status == 0 else f"curl exits {answer.status}")

    return Effect(f"the proxy answers at {url}", (script,), judge)


def together(want: VirtualIp) -> Effect:
    """The host has all shared addresses or none of them."""
    shared = (*want.plain(4), *want.plain(6))

    def judge(answer: Answer) -> Seen:
        held = {line.split()[3].partition("/")[0] for line in answer.output.splitlines() if len(line.split()) > 3}
        mine = [address for address in shared if address in held]
        if mine and len(mine) < len(shared):
            return Seen(False, f"has {', '.join(mine)} without {', '.join(one for one in shared if one not in mine)}")
        return Seen(answer.status == 0, "owns them" if mine else "is a spare" if answer.status == 0 else answer.output)

    return Effect("the shared addresses are together", ("ip", "-o", "address", "show", "dev", want.interface), judge)


def no_fault(unit: str, want: VirtualIp) -> Effect:
    """By its own journal keepalived would take the addresses over, where it does not have them.

    What is in fault takes nothing over. A host that comes back is so until its proxy has answered `rise` times, and
    until then the other one has no spare, although both run (H12).
    """
    # One that starts in fault tells of its start alone, or of its group's; a journal may not go back to its last word.
    told = "^Starting Keepalived |Entering (MASTER|BACKUP|FAULT) STATE|to FAULT state"
    ask = ("journalctl", "-qb", "-o", "cat", "-u", unit, "-n", "1", "-g", told)

    def judge(answer: Answer) -> Seen:
        said = answer.output.strip()
        if said and "MASTER" not in said and "BACKUP" not in said:
            return Seen(False, f"in fault, it would not take the addresses over: {said}")
        return Seen(answer.status in (0, 1), said or "its journal tells of none")

    return Effect("keepalived is in no fault", ask, judge, deadline_s=want.rise + 10)


def one_owner(mine: Router) -> Effect:
    """Exactly one host holds the addresses, the same one for all of them, and neighbours send to it (H22)."""
    want = mine.want
    shared = (*want.plain(4), *want.plain(6))

    def judge(answer: Answer) -> Seen:
        lines = [line.split() for line in answer.output.splitlines()]
        seen = _owner(mine.own.name, shared, lines)
        deaf = [
            one.name for one in mine.others if not any(words[:2] == ["host", one.name] and words[2:] for words in lines)
        ]
        if seen.ok and deaf and seen.seen == f"owned by {mine.own.name}":
            # Dead, or on the other side of a split: from here both look the same.
            return Seen(False, f"{seen.seen}, which does not hear {', '.join(deaf)}: they may own them, too")
        return seen

    hosts = [word for one in mine.others for word in (one.name, one.v4)]
    ask = ("bash", "-c", _OWNERS, "bash", want.interface, mine.own.v4, *hosts, "--", *shared)
    peer = mine.others[0].name if mine.others else None
    return Effect("the shared addresses have one owner", ask, judge, cost="deep", deadline_s=15, peer=peer)


def owner_answers(mine: Router) -> Effect:
    """Each shared address takes connections on the port."""
    want = mine.want
    shared = (*want.plain(4), *want.plain(6))

    def judge(answer: Answer) -> Seen:
        shut = [address for address in shared if f"open {address}" not in answer.output.splitlines()]
        return Seen(not shut, f"no connection to {', '.join(shut)}" if shut else f"{', '.join(shared)} answer")

    ask = ("bash", "-c", _CONNECT, "bash", str(want.port), *shared)
    return Effect(f"the shared addresses answer on port {want.port}", ask, judge, cost="deep", deadline_s=15)


def _owner(own: str, shared: Iterable[str], lines: list[list[str]]) -> Seen:
    names = {words[2]: words[1] for words in lines if words[0] == "host" and len(words) == 3}
    owners: dict[str, str] = {}
    for address in shared:
        here = ["here", address] in lines
        heard = [names.get(words[2], words[2]) for words in lines if words[:2] == ["heard", address]]
        holders = [*([own] if here else []), *heard]
        found = next((words[2] for words in lines if words[:2] == ["found", address] and len(words) == 3), None)
        owner = own if here else names.get(found or "", found)
        if len(holders) > 1:
            return Seen(False, f"{address} is held by {' and '.join(holders)}: a split brain")
        if owner is None:
            return Seen(False, f"nobody answers for {address}")
        if holders and holders != [owner]:
            return Seen(False, f"{address} is {holders[0]}'s, but packets go to {owner}")
        owners[address] = owner
    if len(set(owners.values())) > 1:
        return Seen(False, ", ".join(f"{address} at {owner}" for address, owner in owners.items()))
    (owner,) = set(owners.values())
    known = owner in (own, *names.values())
    return Seen(known, f"owned by {owner}" + ("" if known else ", which is none of the hosts that share them"))
