"""A network that is cut: between a host and all others, or between two. In the lab at the switch; elsewhere by rules on
the host, which leave it open to SSH from outside the fleet, so that nobody is locked out. nftables is in the kernel of
both Debians, beside iptables-nft."""

from __future__ import annotations

from collections.abc import Iterable

from hostmuster.drills.faults.fault import Beside, Cause, Fault, Ground, NoGround, OnHost
from hostmuster.model.fleet import Host
from hostmuster.resources.step import Run

TABLE = "hostmuster-drill"
UNDO = ("sh", "-c", f"nft list table inet {TABLE} >/dev/null 2>&1 || exit 0; exec nft delete table inet {TABLE}")


def _whole(ground: Ground) -> Cause:
    says = f"{ground.target.name} is cut off from all others"
    if ground.fleet.lab:
        return Beside(says, ground.in_lab("lab.cut"), ground.in_lab("lab.heal"), silences=True)
    return OnHost(says, (_dropped(ground.others, all_but_ssh=ground.target.port),))


def _between(ground: Ground) -> Cause:
    peers = [host for role in ground.target.roles for host in ground.fleet.with_role(role) if host != ground.target]
    if not peers:
        raise NoGround(f"no other host has a role of {ground.target.name}")
    says = f"{ground.target.name} and {peers[0].name} are cut off from each other"
    if ground.fleet.lab:
        return Beside(says, ground.in_lab("lab.cut", "--from", peers[0].name), ground.in_lab("lab.heal"))
    return OnHost(says, (_dropped(peers[:1]),))


def _dropped(peers: Iterable[Host], all_but_ssh: int | None = None) -> Run:
    """Before every chain of ours or Docker's. `all_but_ssh`: the port that stays open, to whoever is no peer."""
    addresses = ", ".join(host.address for host in peers)
    rules = [f"add table inet {TABLE}"]
    for hook, peer, port, loop in (("input", "saddr", "dport", "iif"), ("output", "daddr", "sport", "oif")):
        chain = f"inet {TABLE} {hook}"
        rules.append(f"add chain {chain} {{ type filter hook {hook} priority -300; policy accept; }}")
        rules.append(f"add rule {chain} {loop} lo accept")
        rules.append(f"add rule {chain} ip {peer} {{ {addresses} }} drop")
        if all_but_ssh is not None:
            rules += [f"add rule {chain} tcp {port} {all_but_ssh} accept", f"add rule {chain} drop"]
    return Run(("nft", "; ".join(rules)), undo=UNDO)


OFF = Fault("network cut", _whole)
APART = Fault("network cut between two", _between)
