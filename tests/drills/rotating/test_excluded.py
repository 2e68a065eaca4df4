"""A key turns, or is revoked, without a host that is down: back, it does not serve before it caught up."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.drills.rotating.signers import HOSTS, Signers
from tests.drills.rotating.terminal import typed
from tests.drills.rotating.test_revocation import forged, verdicts
from tests.lab.fleet_on_lab import machines_of

DEAD = "worker-2"
REST = tuple(host for host in HOSTS if host != DEAD)
WITHOUT = ("--exclude", DEAD)
CONFIRMED = (*WITHOUT, "--confirm-exclude", DEAD)
ON = f"made without {DEAD}: once it is back, hostmuster secrets.rollout has it catch up and serve"


@pytest.fixture
def real(signers: Signers) -> Iterator[Signers]:
    """One host is dead, and the fleet is said to be no lab, so whoever is left out is typed."""
    signers.declare()
    signers.fleet.extra["lab"] = False
    signers.fleet.declare(machines_of(signers.lab))
    signers.lab.kill(DEAD)
    yield signers
    signers.declare()
    signers.lab.start(DEAD)
    assert signers.fleet.run("secrets.rollout").exit == 0


def test_a_key_turns_without_a_dead_host_and_retires_only_once_that_has_caught_up(real: Signers) -> None:
    (before,), number = real.signing(REST), real.number(REST[0])
    with real.under_load() as probed:
        for words in (("secrets.rotate", "signing"), ("secrets.rotate", "signing", "--through", *CONFIRMED)):
            assert real.fleet.run(*words).exit == 3
        assert_typed(real, "secrets.rotate", "signing")
        assert_left_out(real, number, number + 2)
        done = real.fleet.run("secrets.promote", "signing", *CONFIRMED)
        assert done.exit == 0, done.errors
        assert before not in real.signing(REST)
        early = real.fleet.run("secrets.retire", "signing", *CONFIRMED)
        assert (early.exit, f"when {DEAD} last signed with" in early.errors) == (3, True)
        assert_left_out(real, number, number + 4)

        real.back(DEAD)
        assert_waits(real, number, number + 4)
        refused = real.fleet.run("secrets.retire", "signing")
        assert (refused.exit, f"{DEAD} is not seen to do so" in refused.errors) == (3, True)
        done = real.fleet.run("secrets.rollout")
        assert done.exit == 0, done.errors
        real.comes_by_itself(DEAD)
        done = real.fleet.run("secrets.rotate", "signing", "--through")
        assert done.exit == 0, done.errors
    assert probed.failed == 0 < probed.verified, probed.document
    assert_at_one(real)


def test_a_key_is_revoked_without_a_dead_host_which_does_not_serve_with_it(real: Signers) -> None:
    leaked, number = real.ring().current, real.number(REST[0])
    words = ("secrets.revoke", "signing")
    for given in ((), WITHOUT, CONFIRMED, ("--confirm", "signing"), (*WITHOUT, "--confirm", "signing")):
        assert real.fleet.run(*words, *given).exit == 3
    assert verdicts(real, forged(real, leaked), REST) == {(200, "")}
    assert_typed(real, *words, then="signing")
    assert {status for status, _ in verdicts(real, forged(real, leaked), REST)} == {401}
    assert_left_out(real, number, number + 2)

    real.back(DEAD)
    assert_waits(real, number, number + 2)
    assert {status for status, _ in verdicts(real, forged(real, leaked), REST)} == {401}
    done = real.fleet.run("secrets.rollout")
    assert done.exit == 0, done.errors
    real.comes_by_itself(DEAD)
    assert_at_one(real)
    assert {status for status, _ in verdicts(real, forged(real, leaked))} == {401}


def assert_typed(signers: Signers, *words: str, then: str | None = None) -> None:
    """Another name is refused, and nothing touched; its own, and the secret's where that is asked for, is taken."""
    number = signers.number(REST[0])
    code, shown = typed(signers.fleet, (REST[0],), *words, *WITHOUT)
    assert (code, "it was not typed; nothing was touched" in shown) == (3, True), shown
    if then:
        code, shown = typed(signers.fleet, (DEAD, "render"), *words, *WITHOUT)
        assert (code, "its name was not typed; nothing was touched" in shown) == (3, True), shown
    assert signers.number(REST[0]) == number
    code, shown = typed(signers.fleet, (DEAD, *filter(None, [then])), *words, *WITHOUT)
    assert code == 0, shown
    assert f"{DEAD} must not serve until it caught up, and is asked nothing until then. Type {DEAD}" in shown


def assert_left_out(signers: Signers, old: int, new: int) -> None:
    """All others have the new generation, which is not the dead one's neighbour; the list says so, and the way on."""
    listed = signers.fleet.run("secrets.list").document
    assert (listed["hosts"], listed["without"]) == ({**dict.fromkeys(REST, new), DEAD: None}, [DEAD])
    assert old + 1 < new
    assert ON in signers.fleet.hostmuster("secrets.list").output


def assert_waits(signers: Signers, old: int, new: int) -> None:
    """It is back with what it had, and serves nobody."""
    why = f"it has generation {old}, "
    signers.waits(DEAD, why)
    assert f"has {new}: it has to catch up first" in signers.why(DEAD)
    with pytest.raises(httpx.TransportError):
        signers.ask(DEAD, "/token")
    listed = signers.fleet.run("secrets.list").document
    assert listed["hosts"] == {**dict.fromkeys(REST, new), DEAD: old}
    assert why in listed["waits"][DEAD]


def assert_at_one(signers: Signers) -> None:
    """One generation and one key everywhere; nobody is left out, and nothing waits."""
    (key,) = signers.ring().keys
    assert (signers.signing(), set(signers.served())) == ({key.kid}, {(key.kid,)})
    listed = signers.fleet.run("secrets.list").document
    assert len(set(listed["hosts"].values())) == 1
    assert not {"without", "waits"} & set(listed)
