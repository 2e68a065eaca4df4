"""Encrypted rows: written and read, encrypted anew in one transaction, proved, dumped and put back (K6)."""

from __future__ import annotations

import json
import sqlite3
import time
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from tests.unit.workload.process import environment, run, running, start_with

OLD, NEW, FOREIGN = (Fernet.generate_key().decode() for _ in range(3))
VALUES = {"openai": "sk-1", "anthropic": "sk-2", "zürich": "schlüssel"}


@pytest.fixture
def given(tmp_path: Path) -> dict[str, str]:
    """A single instance's database, and its key."""
    return {"DATABASE_URL": f"sqlite:///{tmp_path}/rows.db", "AI_SECRET_ENCRYPTION_KEY": OLD}


@pytest.fixture
def filled(opt: Path, given: dict[str, str]) -> dict[str, str]:
    """The same with rows in it."""
    with running(opt, **given) as one:
        for name, value in VALUES.items():
            assert one.ask("/rows", "POST", json.dumps({"name": name, "value": value}))[0] == 201
    return given


def raw(given: dict[str, str]) -> dict[str, str]:
    """The rows as they lie in the database."""
    with sqlite3.connect(given["DATABASE_URL"].removeprefix("sqlite:///")) as connection:
        return dict(connection.execute("SELECT name, value FROM secret_rows"))


def act(opt: Path, given: dict[str, str], word: str, stdin: str = "", **more: str) -> tuple[int, str]:
    """An act on the rows, with nothing but its variables: the exit code, and what it printed or complained of."""
    done = run(opt, given | more, word, stdin=stdin)
    return done.returncode, done.stdout or done.stderr


def test_readiness_tells_of_the_database(opt: Path, given: dict[str, str]) -> None:
    with running(opt, **given) as one:
        for _ in range(50):
            status, told, _headers = one.ask("/health/ready")
            if status == 200:
                break
            time.sleep(0.1)
        assert (status, told) == (200, {"status": "ok", "database": "ok"})


def test_a_row_is_encrypted_in_the_database_and_read_in_clear(opt: Path, filled: dict[str, str]) -> None:
    with running(opt, **filled) as one:
        assert one.ask("/rows")[:2] == (200, {"rows": 3})
        assert one.ask("/rows?name=openai")[:2] == (200, {"name": "openai", "value": "sk-1"})
        assert one.ask("/rows?name=nobody")[0] == 404
        assert one.ask("/rows", "POST", json.dumps({"name": "openai", "value": "sk-3"}))[0] == 201
        assert one.ask("/rows?name=openai")[1]["value"] == "sk-3"
        for body in ("", "[]", '{"name": "x"}', '{"name": "", "value": "x"}', '{"name": 1, "value": "x"}'):
            assert one.ask("/rows", "POST", body)[0] == 400
        _, log = one.stop()
    assert Fernet(OLD).decrypt(raw(filled)["anthropic"].encode()) == b"sk-2"
    assert "sk-" not in log


def test_a_key_that_does_not_open_the_rows_does_not_serve(opt: Path, filled: dict[str, str]) -> None:
    code, told = start_with(opt, environment(8080, **filled | {"AI_SECRET_ENCRYPTION_KEY": FOREIGN}))
    assert (code, told) == (78, "AI_SECRET_ENCRYPTION_KEY does not open the rows that are there\n")


def test_a_migration_encrypts_every_row_anew_once(opt: Path, filled: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "next").write_text(f"{NEW}\n")
    upcoming = {"AI_SECRET_ENCRYPTION_KEY_NEXT_FILE": str(tmp_path / "next")}
    assert act(opt, filled, "prove") == (0, '{"rows": 3, "opened": 3}\n')
    assert act(opt, filled, "prove", **upcoming)[0] == 1
    assert act(opt, filled, "migrate", **upcoming) == (0, '{"rows": 3, "encrypted_anew": 3}\n')
    assert act(opt, filled, "migrate", **upcoming) == (0, '{"rows": 3, "encrypted_anew": 0}\n')
    assert act(opt, filled, "prove", **upcoming) == (0, '{"rows": 3, "opened": 3}\n')
    assert act(opt, filled, "prove")[0] == 1
    with running(opt, **filled | {"AI_SECRET_ENCRYPTION_KEY": NEW}) as one:
        assert {name: one.ask(f"/rows?name={quoted(name)}")[1]["value"] for name in VALUES} == VALUES


def test_a_row_that_opens_with_neither_key_keeps_all_rows_as_they_are(opt: Path, filled: dict[str, str]) -> None:
    with sqlite3.connect(filled["DATABASE_URL"].removeprefix("sqlite:///")) as connection:
        foreign = Fernet(FOREIGN).encrypt(b"x").decode()
        connection.execute("INSERT INTO secret_rows VALUES ('zz-last', ?)", (foreign,))
    before = raw(filled)
    code, told = act(opt, filled, "migrate", AI_SECRET_ENCRYPTION_KEY_NEXT=NEW)
    assert (code, told) == (1, "the row 'zz-last' opens with neither key; no row was changed\n")
    assert raw(filled) == before


def test_a_dump_puts_back_what_was_there(opt: Path, filled: dict[str, str]) -> None:
    before = raw(filled)
    code, dump = act(opt, filled, "dump")
    assert code == 0
    assert "sk-" not in dump
    assert act(opt, filled, "migrate", AI_SECRET_ENCRYPTION_KEY_NEXT=NEW)[0] == 0
    assert act(opt, filled, "put-back", stdin=dump[: len(dump) // 2])[0] == 1
    assert act(opt, filled, "prove", AI_SECRET_ENCRYPTION_KEY_NEXT=NEW)[0] == 0
    assert act(opt, filled, "put-back", stdin=dump) == (0, '{"rows": 3}\n')
    assert raw(filled) == before


def test_an_act_that_lacks_a_key_or_a_database_is_refused(opt: Path, given: dict[str, str]) -> None:
    assert act(opt, given, "migrate") == (
        78,
        "AI_SECRET_ENCRYPTION_KEY_NEXT is not set: rows are encrypted with it\n",
    )
    assert act(opt, {}, "dump") == (78, "DATABASE_URL is not set\n")
    nowhere = given | {"DATABASE_URL": "sqlite:////no/such/folder/rows.db"}
    assert act(opt, nowhere, "dump")[0] == 1
    assert start_with(opt, environment(8080, **nowhere))[0] == 1
    assert start_with(opt, environment(8080, **given | {"DATABASE_URL": "mysql://x"}))[0] == 78
    assert start_with(opt, environment(8080, DATABASE_URL=given["DATABASE_URL"]))[0] == 78
    assert act(opt, given, "destroy")[0] == 64


def quoted(name: str) -> str:
    """As a path has it."""
    return name.replace("ü", "%C3%BC")
