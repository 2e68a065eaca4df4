"""A migration cut off at one stage after the other, by power or by a kill: other clones end it."""

from __future__ import annotations

from pathlib import Path

from tests.drills.fernet.interrupted import Interrupted, Stage

# From the proof on it only goes forward, each time in another clone.
ON = (
    Stage("while rows are proved", "prove", "", "migrated", "next"),
    Stage("before the promotion", "prove", "switched.5", "proved", "next"),
    Stage("after the promotion", "", "staging", "proved", "current"),
    Stage("while services start", "start", "", "proved", "current"),
)
STAGES = (
    Stage("dumped", "dump", "switched.5", "dumped", "current"),
    Stage("migrated", "migrate", "switched.6", "migrated", "next"),
    Stage("while rows are proved", "prove", "", "migrated", "next"),
    Stage("before the promotion", "prove", "switched.5", "proved", "next"),
    Stage("after the promotion", "", "staging", "proved", "current"),
    Stage("all services started, and not on record", "start", "switched.5", "proved", "current"),
)


def test_controllers_killed_from_the_proof_on_leave_what_other_clones_end(
    encrypted: Interrupted, tmp_path: Path
) -> None:
    encrypted.declare()
    before, sealed = encrypted.key, encrypted.stored()
    older = encrypted.fleet.clone(tmp_path / "older")
    for stage in ON:
        clone = encrypted.fleet.clone(tmp_path / stage.name)
        encrypted.orphaned(encrypted.reached(stage, clone))
        encrypted.unleased()
        encrypted.pushed(clone)
        encrypted.stands(stage)
        refused = older.run("secrets.rotate", "ai-key")
        assert refused.exit == 3, refused.output
        assert "take the store of whoever replaced it last" in refused.errors
        if stage.act != "start":  # which whoever comes takes back
            encrypted.stands(stage)
    encrypted.is_over(tmp_path / "last", before, sealed, put_back=False)


def test_a_migration_that_loses_its_host_at_each_stage_is_ended_by_other_clones(
    encrypted: Interrupted, tmp_path: Path
) -> None:
    encrypted.declare()
    before, sealed = encrypted.key, encrypted.stored()
    for stage in STAGES:
        clone = encrypted.fleet.clone(tmp_path / stage.name)
        done = encrypted.darkened(encrypted.reached(stage, clone))
        encrypted.pushed(clone)
        assert done.exit == 1, done.output
        assert "then: hostmuster secrets.rotate ai-key" in done.errors
        encrypted.stands(stage)
    told = encrypted.evidence(clone)
    assert (told["verdict"], told["skew_s"] >= 0) == ("failed", True), "what a run that failed knew is in its evidence"
    last = encrypted.is_over(tmp_path / "last", before, sealed, put_back=False)
    assert last.document["outage_s"] > 0
