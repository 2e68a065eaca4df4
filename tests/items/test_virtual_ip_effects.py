"""What the virtual IP's effects make of what is seen on the wire."""

from __future__ import annotations

from pathlib import Path

import pytest

from hostmuster.effects.virtual_ip import no_fault, one_owner, together
from hostmuster.item import Answer, Seen
from hostmuster.vip.membership import router
from tests.items.ingress_fleet import fleet

OWN, PEER, THIRD = "52:00:00:00:00:01", "52:00:00:00:00:02", "52:00:00:00:00:03"


@pytest.mark.parametrize(
    ("lines", "ok", "says"),
    [
        (("here 192.0.2.100", "here 2001:db8::100"), True, "owned by ingress-1"),
        (
            (f"found 192.0.2.100 {PEER}", f"heard 192.0.2.100 {PEER}", f"found 2001:db8::100 {PEER}"),
            True,
            "owned by ingress-2",
        ),
        (
            ("here 192.0.2.100", f"heard 192.0.2.100 {PEER}", "here 2001:db8::100"),
            False,
            "192.0.2.100 is held by ingress-1 and ingress-2: a split brain",
        ),
        (
            (f"found 192.0.2.100 {PEER}", f"heard 192.0.2.100 {PEER}", f"heard 192.0.2.100 {THIRD}"),
            False,
            f"192.0.2.100 is held by ingress-2 and {THIRD}: a split brain",
        ),
        (
            (f"found 192.0.2.100 {THIRD}", f"heard 192.0.2.100 {PEER}"),
            False,
            f"192.0.2.100 is ingress-2's, but packets go to {THIRD}",
        ),
        (("found 192.0.2.100",), False, "nobody answers for 192.0.2.100"),
        (
            ("here 192.0.2.100", f"found 2001:db8::100 {PEER}"),
            False,
            "192.0.2.100 at ingress-1, 2001:db8::100 at ingress-2",
        ),
        (
            (f"found 192.0.2.100 {THIRD}", f"heard 192.0.2.100 {THIRD}", f"found 2001:db8::100 {THIRD}"),
            False,
            f"owned by {THIRD}, which is none of the hosts that share them",
        ),
    ],
)
def test_who_owns_them_is_read_off_the_wire(tmp_path: Path, lines: tuple[str, ...], ok: bool, says: str) -> None:
    effect = one_owner(router(fleet(tmp_path).hosts["ingress-1"]))
    answer = Answer(0, "\n".join((f"host ingress-2 {PEER}", *lines)))
    assert effect.judge(answer) == Seen(ok, says)


def test_an_owner_that_does_not_hear_the_others_says_so(tmp_path: Path) -> None:
    effect = one_owner(router(fleet(tmp_path).hosts["ingress-1"]))
    here = ["here 192.0.2.100", "here 2001:db8::100"]
    assert effect.judge(Answer(0, "\n".join(["host ingress-2", *here]))) == Seen(
        False, "owned by ingress-1, which does not hear ingress-2: they may own them, too"
    )


def test_half_of_the_addresses_is_named(tmp_path: Path) -> None:
    effect = together(router(fleet(tmp_path).hosts["ingress-1"]).want)
    line = "2: eth0    inet 192.0.2.100/24 scope global eth0"
    assert effect.judge(Answer(0, line)) == Seen(False, "has 192.0.2.100 without 2001:db8::100")


@pytest.mark.parametrize(
    ("said", "ok", "says"),
    [
        ("(v4) Entering BACKUP STATE\n", True, "(v4) Entering BACKUP STATE"),
        ("(v4) Entering MASTER STATE\n", True, "(v4) Entering MASTER STATE"),
        *(
            (f"{said}\n", False, f"in fault, it would not take the addresses over: {said}")
            for said in (
                "(v6) Entering FAULT STATE",
                "VRRP_Group(both) Syncing instances to FAULT state",
                "Starting Keepalived v2.2.7 (01/16,2022)",
            )
        ),
        ("", True, "its journal tells of none"),
    ],
)
def test_a_spare_in_fault_is_none(tmp_path: Path, said: str, ok: bool, says: str) -> None:
    effect = no_fault("keepalived.service", router(fleet(tmp_path).hosts["ingress-1"]).want)
    assert effect.judge(Answer(0 if said else 1, said)) == Seen(ok, says)
