"""A rotation whose controller is killed at each of its steps goes on from a fresh clone each time; no token fails."""

from __future__ import annotations

from pathlib import Path

from tests.drills.rotating.relay import ROTATE, Relay, after, at, relay, restarting
from tests.drills.rotating.signers import HOSTS, Signers

GENERATIONS = 3
BETWEEN = "switched.3"
"""The meetings of a switch: who waits for the others goes back, and whoever did not yet is cut off there."""
# By what the store says then.
CUTS = {
    "published": (
        at("staging", 0),  # the store has the next key, no host has
        at("confirmed", 0),  # it lies on hosts, and is not in use
        at("switched", 1),  # and no service was restarted
        restarting(1),
        after("is verified by every replica", 1),
    ),
    "promoted": (
        at("staging", 1),
        at("confirmed", 1),
        at(BETWEEN, 1),
        at("switched", 2),
        restarting(2),
        after("until the last token has ended", 2),
    ),
    None: (at("confirmed", 2), at("switched", 3), restarting(3)),
}


def test_a_rotation_killed_at_every_step_goes_on_from_fresh_clones_and_no_token_fails(
    signers: Signers, tmp_path: Path
) -> None:
    signers.declare()
    (before,) = signers.signing()
    (first,) = set(signers.numbers().values())
    with relay(signers, tmp_path) as here:
        with signers.under_load() as probed:
            for phase, cuts in CUTS.items():
                for cut in cuts:
                    here.killed(cut)
                    numbers, wanted = signers.numbers(), dict.fromkeys(HOSTS, first + cut.generations)
                    if cut.where == BETWEEN:
                        ahead = [host for host in HOSTS if numbers[host] == wanted[host] + 1]
                        assert all(map(signers.is_cut_off, ahead)), ahead  # whoever comes next settles it
                        wanted |= {host: numbers[host] for host in ahead}
                    assert numbers == wanted, (phase, cut.where)
                    if cut is cuts[0]:
                        assert_listed(here, phase)
            assert_an_older_store_is_refused(here)
            done = here.ended()
        assert done.exit == 0, done.errors
        assert_every_step_is_told(here, first)
    assert (probed.failed, probed.verified > 1000) == (0, True), probed.document
    print("killed", sum(map(len, CUTS.values())), "times:", probed.verified, "verified", probed.failed, "refused")
    (after_it,) = signers.signing()
    assert after_it != before
    assert signers.served() == [(after_it,)] * len(HOSTS), "the key that retired is gone everywhere"
    assert [key.kid for key in signers.ring().keys] == [after_it], "one key was made, and none is lost"
    assert signers.numbers() == dict.fromkeys(HOSTS, first + GENERATIONS)
    assert {host: signers.leftovers(host) for host in HOSTS} == {host: [] for host in HOSTS}
    assert signers.fleet.run("verify").exit == 0


def assert_listed(here: Relay, phase: str | None) -> None:
    """The clone of who was killed tells how the ring stands, and the way on."""
    told = here.newest.hostmuster("secrets.list").output
    assert (f"signing is {phase}: hostmuster {' '.join(ROTATE)} goes on with it" in told) is (phase is not None), told


def assert_an_older_store_is_refused(here: Relay) -> None:
    """Of who cloned before the key was published: its store would have hosts forget the key that signs by now."""
    done = here.fleets[0].run(*ROTATE)
    assert done.exit == 3
    assert "put the store back to what the hosts have (git)" in done.errors


def assert_every_step_is_told(here: Relay, first: int) -> None:
    """By the evidence of all runs together, those that were killed included."""
    steps = here.told()
    said = [step["step"] for step in steps]
    edits = [one.split()[1] for one in said if one.startswith("store: ")]
    assert edits == ["publish", "promote", "retire"], said
    for proof in ("is verified by every replica", "signs on every replica", "waited", "no other key verifies"):
        assert any(proof in one for one in said), said
    switched = {got["generation"]: set(step["hosts"]) for step in steps for got in step.get("hosts", {}).values()}
    assert switched == {first + at: set(HOSTS) for at in range(1, GENERATIONS + 1)}
