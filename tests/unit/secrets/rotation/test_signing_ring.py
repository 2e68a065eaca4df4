"""What is refused in which state of a rotation, by its words (exit code 3)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hostmuster.errors import Refused
from hostmuster.secrets.ring import Ring, Serves
from hostmuster.secrets.rotation.keys import Consumer, Kids
from hostmuster.secrets.rotation.replica import Replica
from hostmuster.secrets.rotation.signing_ring import Request, next_step, revoke_step
from hostmuster.secrets.rotation.transition import Done, Edit, Halt, Refresh, Restart, Start, Switch, Wait

from ..keys import ring_key

LIFE_S = 3600.0
IDLE = Kids("k1")
PUBLISHED = Kids("k1", "k2")
PROMOTED = Kids("k2", None, frozenset({"k1"}))
RETIRED = Kids("k2")
HOSTS = ("server-1", "server-2", "server-3")


def all_with(kids: Kids, for_s: float = LIFE_S) -> list[Replica[Serves]]:
    return [Replica(name, kids.served, kids.served, for_s) for name in HOSTS]


def one_with(kids: Kids, others: Kids, **changes: object) -> list[Replica[Serves]]:
    """The second one is still where it was."""
    replicas = all_with(others)
    replicas[1] = replace(Replica(HOSTS[1], kids.served, kids.served), **changes)  # type: ignore[arg-type]
    return replicas


def refusal(request: Request, store: Kids, replicas: list[Replica[Serves]], *excluded: str) -> str:
    with pytest.raises(Refused) as caught:
        next_step(request, store, replicas, LIFE_S, excluded)
    assert caught.value.exit_code == 3
    assert caught.value.remedy
    return f"{caught.value.where}: {caught.value.what}"


def test_a_rotation_goes_through_all_its_steps_in_order() -> None:
    assert next_step("rotate", IDLE, all_with(IDLE), LIFE_S) == Edit("publish")
    assert next_step("rotate", PUBLISHED, all_with(IDLE), LIFE_S) == Switch(HOSTS)
    half = [replace(one, disk=PUBLISHED.served) for one in all_with(IDLE)]
    assert next_step("rotate", PUBLISHED, half, LIFE_S) == Restart("server-1")
    assert isinstance(next_step("rotate", PUBLISHED, all_with(PUBLISHED), LIFE_S), Done)
    assert next_step("promote", PUBLISHED, all_with(PUBLISHED), LIFE_S) == Edit("promote", ("k2",))
    assert next_step("promote", PROMOTED, one_with(PUBLISHED, PROMOTED), LIFE_S) == Switch(("server-2",))
    assert isinstance(next_step("promote", PROMOTED, all_with(PROMOTED, 0), LIFE_S), Done)
    assert next_step("retire", PROMOTED, all_with(PROMOTED), LIFE_S) == Edit("retire", ("k1",))
    assert next_step("retire", RETIRED, all_with(PROMOTED), LIFE_S) == Switch(HOSTS)
    assert isinstance(next_step("retire", RETIRED, all_with(RETIRED), LIFE_S), Done)


def test_a_second_rotation_during_one_is_refused() -> None:
    assert "a rotation is open: tokens of k1 may live" in refusal("rotate", PROMOTED, all_with(PROMOTED))
    assert "server-2 is not on the store's state yet" in refusal("rotate", RETIRED, one_with(PROMOTED, RETIRED))
    assert isinstance(next_step("rotate", PUBLISHED, all_with(PUBLISHED), LIFE_S), Done)  # no third key


@pytest.mark.parametrize(
    ("replicas", "who"),
    [
        (one_with(IDLE, PUBLISHED), "server-2 is"),
        (one_with(PUBLISHED, PUBLISHED, running=IDLE.served), "server-2 is"),  # the file is there, the process is old
        (one_with(PUBLISHED, PUBLISHED, running=None), "server-2 is"),
        (all_with(IDLE), "server-1, server-2, server-3 are"),
    ],
)
def test_a_promotion_before_every_process_is_proved_is_refused(replicas: list[Replica[Serves]], who: str) -> None:
    assert f"k2 is not proved everywhere: {who} not seen to verify it" in refusal("promote", PUBLISHED, replicas)


def test_a_promotion_waits_for_consumers_of_the_published_keys() -> None:
    knows, lacks = Consumer("runtime-1", frozenset({"k1", "k2"})), Consumer("runtime-2", frozenset({"k1"}))
    step = next_step("rotate", PUBLISHED, all_with(PUBLISHED), LIFE_S, (), (knows, lacks))
    assert step == Refresh(("runtime-2",))
    with pytest.raises(Refused, match="runtime-2 is not seen to verify it"):
        next_step("promote", PUBLISHED, all_with(PUBLISHED), LIFE_S, (), (knows, lacks))
    assert next_step("promote", PUBLISHED, all_with(PUBLISHED), LIFE_S, (), (knows,)) == Edit("promote", ("k2",))


def test_a_retirement_waits_from_the_last_replicas_switch() -> None:
    replicas = one_with(PROMOTED, PROMOTED, for_s=600.0)
    assert next_step("retire", PROMOTED, replicas, LIFE_S) == Wait(3000.0)
    assert "k2 does not sign yet" in refusal("retire", PUBLISHED, all_with(PUBLISHED))
    behind = one_with(PUBLISHED, PROMOTED)
    assert "k2 is not proved to sign on every replica: server-2 is not" in refusal("retire", PROMOTED, behind)


def test_nothing_is_promoted_or_retired_without_a_rotation() -> None:
    assert "no rotation is open" in refusal("promote", IDLE, all_with(IDLE))
    assert isinstance(next_step("retire", IDLE, all_with(IDLE), LIFE_S), Done)


@pytest.mark.parametrize("store", [IDLE, PUBLISHED, PROMOTED, RETIRED])
@pytest.mark.parametrize("request_", ["rotate", "promote", "retire"])
def test_a_replica_that_does_not_answer_blocks_every_step(store: Kids, request_: Request) -> None:
    silent = one_with(store, store, reachable=False)
    assert "server-2: cannot be reached" in refusal(request_, store, silent)


def test_one_that_is_excluded_does_not_block_except_a_retirement() -> None:
    away = one_with(IDLE, PUBLISHED, reachable=False)
    assert next_step("promote", PUBLISHED, away, LIFE_S, ["server-2"]) == Edit("promote", ("k2",))
    away = one_with(IDLE, PROMOTED, reachable=False)
    assert "when server-2 last signed with k1 is not known" in refusal("retire", PROMOTED, away, "server-2")
    assert "no replica is named server-9" in refusal("retire", PROMOTED, away, "server-9")
    assert "no replica is left" in refusal("promote", PUBLISHED, away, *HOSTS)


def test_one_that_was_away_for_two_steps_catches_up_while_it_serves_nothing() -> None:
    back = one_with(IDLE, PROMOTED, running=None)
    assert next_step("promote", PROMOTED, back, LIFE_S) == Switch(("server-2",))
    serving = one_with(IDLE, PROMOTED)
    assert "server-2: what it has and what the store says must not serve together" in refusal(
        "promote", PROMOTED, serving
    )


def test_a_revocation_stops_all_before_it_switches_any() -> None:
    store = PUBLISHED
    assert revoke_step("k1", store, all_with(PUBLISHED)) == Edit("revoke", ("k1",))
    store = replace(RETIRED, revoked=frozenset({"k1"}))
    assert revoke_step("k1", store, all_with(PUBLISHED)) == Halt(HOSTS)
    held = [replace(one, running=None, held=True) for one in all_with(PUBLISHED)]
    assert revoke_step("k1", store, held) == Switch(HOSTS)
    switched = [replace(one, disk=store.served) for one in held]
    assert revoke_step("k1", store, [switched[0], held[1], switched[2]]) == Switch(("server-2",))
    assert revoke_step("k1", store, switched) == Start(HOSTS)
    started = all_with(RETIRED)
    assert revoke_step("k1", store, [started[0], *switched[1:]]) == Start(("server-2", "server-3"))
    cached = Consumer("runtime", frozenset({"k1", "k2"}))
    assert revoke_step("k1", store, started, (), (cached,)) == Refresh(("runtime",))
    assert revoke_step("k1", store, started) == Edit("forget", ("k1",))
    assert isinstance(revoke_step("k1", RETIRED, started), Done)


@pytest.mark.parametrize("request_", ["rotate", "promote", "retire"])
def test_a_revocation_that_was_begun_only_goes_forward(request_: Request) -> None:
    store = replace(RETIRED, revoked=frozenset({"k1"}))
    assert "a revocation is open: k1" in refusal(request_, store, all_with(PROMOTED))


@pytest.mark.parametrize(
    ("kid", "kept"),
    [("k1", ("k2", "k0")), ("k2", ("k1", "k0")), ("k0", ("k1", "k2"))],
    ids=["signs", "next", "previous"],
)
def test_a_ring_without_a_revoked_key_signs_with_one_that_is_known(kid: str, kept: tuple[str, ...]) -> None:
    ring = Ring(ring_key("k1"), ring_key("k2", 1), (ring_key("k0", 2),))
    without = ring.without(kid, ring_key("fresh", 3))
    assert tuple(key.kid for key in without.served) == kept
    assert {word.partition("/")[0] for word in Kids.of(without).revoked} == {kid}
    assert Kids.of(without).served == without.serves
    assert without.forgotten().keys == without.served


def test_a_ring_whose_only_key_is_revoked_signs_with_a_fresh_one() -> None:
    fresh = ring_key("k2", 1)
    assert Ring(ring_key("k1")).without("k1", fresh) == Ring(fresh, None, (), (ring_key("k1"),))
