"""A Fernet key is replaced under rows that two hosts serve: all of them are encrypted anew, or all are put back."""

from __future__ import annotations

from pathlib import Path

from cryptography.fernet import Fernet

from tests.drills.fernet.encrypted import DATABASE, MIGRATING, PATIENCE_S, ROWS
from tests.drills.fernet.interrupted import Interrupted
from tests.lab.backends.backends import HOSTS
from tests.lab.fleet_on_lab import machines_of


def test_every_row_is_encrypted_anew_and_read_through_every_service(encrypted: Interrupted) -> None:
    encrypted.declare()
    before, sealed = encrypted.key, encrypted.stored()
    done = encrypted.fleet.run("secrets.rotate", "ai-key")
    assert done.exit == 0, done.errors
    print("migrate:", {name: done.document.get(name) for name in ("outage_s", "skew_s", "seconds")})
    steps = [step["step"] for step in done.document["steps"]]
    assert f'rows: migrate: {{"rows": {ROWS}, "encrypted_anew": {ROWS}}}' in steps
    assert f'rows: prove: {{"rows": {ROWS}, "opened": {ROWS}}}' in steps
    assert "put_back" not in done.document
    assert encrypted.key != before
    assert encrypted.opened_by(before) == 0
    assert not set(sealed.values()) & set(encrypted.stored().values())
    encrypted.at_rest(encrypted.key)
    assert done.document["outage_s"] > 0
    assert encrypted.fleet.run("verify").exit == 0


def test_a_row_that_does_not_open_leaves_all_as_it_was_and_serving(encrypted: Interrupted) -> None:
    encrypted.declare(host=DATABASE)  # of the other Debian
    before, sealed = encrypted.key, encrypted.stored()
    stray = Fernet(Fernet.generate_key()).encrypt(b"of a key that nobody has").decode()
    encrypted.sql(f"INSERT INTO secret_rows VALUES ('stray', '{stray}')")  # noqa: S608 - of our own making
    done = encrypted.fleet.run("secrets.rotate", "ai-key")
    assert done.exit == 1
    assert "the row 'stray' opens with neither key; no row was changed" in done.document["put_back"]
    assert done.document["stands"] == "the rows were put back, and every replica uses the key it had"
    print("put back:", done.document["outage_s"], "s")
    assert encrypted.stored() == {**sealed, "stray": stray}
    encrypted.sql("DELETE FROM secret_rows WHERE name = 'stray'")
    encrypted.at_rest(before)


def test_rows_that_were_changed_are_put_back_where_one_of_them_is_not_proved(encrypted: Interrupted) -> None:
    """A command of the service's own that overlooks a row: what it changed is undone."""
    wrong = "/usr/bin/python3 -I -B /opt/workload migrate && echo half of it && exit 0"
    encrypted.declare(
        migrate=["/bin/sh", "-c", wrong], prove=["/bin/sh", "-c", "echo one row does not open >&2; false"]
    )
    before, sealed = encrypted.key, encrypted.stored()
    done = encrypted.fleet.run("secrets.rotate", "ai-key")
    assert done.exit == 1
    assert done.document["put_back"] == f"prove on {MIGRATING}: one row does not open"
    assert encrypted.stored() == sealed
    encrypted.declare()
    encrypted.at_rest(before)


def test_without_declared_commands_it_is_refused_and_nothing_stops(encrypted: Interrupted) -> None:
    encrypted.declare()
    before = encrypted.key
    del encrypted.fleet.settings["secrets"]["migrations"]
    encrypted.fleet.declare(machines_of(encrypted.lab))
    started = [encrypted.on(host, "systemctl show -p ExecMainPID workload") for host in HOSTS]
    done = encrypted.fleet.run("secrets.rotate", "ai-key")
    assert done.exit == 3
    assert "declare the commands that encrypt the rows anew" in done.errors
    assert [encrypted.on(host, "systemctl show -p ExecMainPID workload") for host in HOSTS] == started
    encrypted.declare()
    encrypted.at_rest(before)


def test_nobody_else_begins_one_meanwhile_and_an_older_store_is_refused_afterwards(
    encrypted: Interrupted, tmp_path: Path
) -> None:
    encrypted.declare()
    # One of two seconds, by whole seconds of a host's clock, may be over for a moment before it is renewed.
    encrypted.fleet.extra["lease_s"] = 60
    encrypted.fleet.declare(machines_of(encrypted.lab))
    older = encrypted.fleet.clone(tmp_path / "older")
    run = encrypted.stopped_at("migrate")
    for command in (("secrets.rotate", "ai-key"), ("secrets.rollout",), ("apply",)):
        done = encrypted.fleet.run(*command)
        assert done.exit == 3, done.output
        assert "is at work on it (run " in done.errors
    assert encrypted.phase == "migrating"
    encrypted.on(MIGRATING, "rm /run/rows-wait")
    output, errors = run.communicate(timeout=PATIENCE_S)
    assert run.returncode == 0, output + errors
    encrypted.at_rest(encrypted.key)
    done = older.run("secrets.rotate", "ai-key")
    assert done.exit == 3
    assert "another Fernet key than the store's" in done.errors
    encrypted.at_rest(encrypted.key)
