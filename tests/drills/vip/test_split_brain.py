"""Two ingress hosts that hear each other no more both own the addresses: it is seen, told, and over once they do."""

from __future__ import annotations

import time

from tests.drills.vip.client import keep, seen
from tests.drills.vip.gratuitous import listening
from tests.lab.vip.shared import BOTH, ONE, TWO, Shared


def test_a_split_brain_is_seen_and_ends_with_one_owner_whom_neighbours_know(shared: Shared) -> None:
    before = shared.owner()
    shared.lab.cut(ONE, peer=TWO)
    try:
        shared.until(lambda: shared.holders(shared.v4) == shared.holders(shared.v6) == list(BOTH))
        told = shared.fleet.run("verify", "--deep")
        said = {host: owner_of(told.item(host, "virtual_ip")["effects"]) for host in BOTH}
    finally:
        with listening(shared.lab.subnet.link, shared.v4) as heard:
            healed = time.monotonic()
            shared.lab.heal(ONE)
            shared.until(shared.stands)
            time.sleep(2)
    owner = shared.owner()
    after = [mac for at, mac in heard.announced if at > healed]
    keep("split_brain", {"before": before, "told": said, "owner": owner, "announced": len(after)})
    assert all(ok is False for ok, _ in said.values()), said
    assert told.exit != 0
    assert owner == ONE  # the first of the fleet file: its priority is higher
    assert after[-1] == shared.mac(owner)
    assert seen(shared, lambda: None, 3)["failed"] == 0


def owner_of(effects: list[dict[str, object]]) -> tuple[object, str]:
    """Whether the addresses have one owner, and what was seen."""
    (one,) = (effect for effect in effects if effect["name"] == "the shared addresses have one owner")
    return one["ok"], str(one["seen"])
