"""A host that is down is left out by name: it serves again once it caught up, and never before."""

from __future__ import annotations

from hostmuster.secrets.start_gate import SERVICE
from tests.lab.fleet_on_lab import machines_of
from tests.lab.gate.gated import BY_ITSELF_S, Gated
from tests.lab.pair import NEW, OLD
from tests.waiting import await_that


def test_a_host_that_was_left_out_does_not_serve_before_a_rollout_brought_it_up(gated: Gated) -> None:
    number, token = gated.number(OLD), gated.token(OLD)
    gated.set("token-without-the-dead-one")
    gated.lab.kill(NEW)
    refused = gated.fleet.run("secrets.rollout")
    assert refused.exit == 3
    assert "--exclude HOST" in refused.errors
    done = gated.fleet.run("secrets.rollout", "--exclude", NEW)
    assert done.exit == 0, done.errors
    assert gated.token(OLD) == "token-without-the-dead-one"
    listed = gated.listed().document
    assert (listed["hosts"], listed["without"]) == ({OLD: number + 2, NEW: None}, [NEW])

    # Who went on is not kept from serving by the one that it went on without.
    gated.lab.kill(OLD)
    gated.back(OLD)
    gated.comes_by_itself(OLD)

    gated.back(NEW)
    gated.waits(NEW, f"it has generation {number}, {OLD} has {number + 2}: it has to catch up first")
    verify = gated.fleet.run("verify")
    assert verify.exit == 1
    assert "it has to catch up first" in verify.errors
    assert "it has to catch up first" in gated.listed().document["waits"][NEW]
    assert gated.on(NEW, f"cat /var/lib/hostmuster/generations/{number}/reader.env").count(token) == 1, "it has the old"

    done = gated.fleet.run("secrets.rollout")
    assert done.exit == 0, done.errors
    gated.comes_by_itself(NEW)
    assert gated.token(NEW) == gated.token(OLD) == "token-without-the-dead-one"
    listed = gated.listed().document
    assert listed["hosts"] == {OLD: number + 2, NEW: number + 2}
    assert not {"without", "waits"} & set(listed)
    assert gated.fleet.run("apply").exit == 0
    assert gated.fleet.run("verify", "--deep").exit == 0


def test_a_host_that_was_only_cut_off_stops_when_it_hears_that_the_others_went_on(gated: Gated) -> None:
    gated.set("token-behind-a-cut")
    number = gated.number(OLD)
    gated.lab.cut(NEW)
    done = gated.fleet.run("secrets.rollout", "--exclude", NEW)
    assert done.exit == 0, done.errors
    assert gated.serves(NEW), "nobody reaches it, and it knows of nothing"
    gated.lab.heal(NEW)
    gated.on(NEW, f"systemctl start --no-block {SERVICE}")  # its timer would, within a minute
    # It says why before it stops what serves.
    await_that(lambda: not gated.serves(NEW), BY_ITSELF_S, f"{NEW} stops")
    gated.waits(NEW, f"it has generation {number}, {OLD} has {number + 2}")
    assert gated.fleet.run("secrets.rollout").exit == 0
    gated.comes_by_itself(NEW)
    assert gated.token(NEW) == "token-behind-a-cut"
    assert gated.fleet.run("apply").exit == 0


def test_a_host_that_answers_is_not_left_out(gated: Gated) -> None:
    before = gated.number(OLD)
    done = gated.fleet.run("secrets.rollout", "--exclude", NEW)
    assert done.exit == 3
    assert "it answers, and would go on serving" in done.errors
    done = gated.fleet.run("secrets.rollout", "--exclude", f"{OLD},{NEW}")
    assert done.exit == 3
    assert "no host is left" in done.errors
    assert (gated.number(OLD), gated.number(NEW)) == (before, before)


def test_where_it_is_no_lab_the_host_is_typed(gated: Gated) -> None:
    gated.fleet.extra["lab"] = False
    gated.fleet.declare(machines_of(gated.lab))
    try:
        for words in ((), ("--confirm-exclude", OLD)):
            done = gated.fleet.run("secrets.rollout", "--exclude", NEW, *words)
            assert done.exit == 3
            assert "its name is to be typed" in done.errors
        done = gated.fleet.run("secrets.rollout", "--exclude", NEW, "--confirm-exclude", NEW)
        assert done.exit == 3
        assert "it answers" in done.errors
    finally:
        del gated.fleet.extra["lab"]
        gated.want()
