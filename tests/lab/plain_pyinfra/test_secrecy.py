"""Plain pyinfra prints no secret and no file's body, whatever it is asked to print."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from tests.lab.plain_pyinfra.project import BODY, PlainPyinfra

SECRETIVE = (
    ["-v"],
    ["-vv"],
    ["-vvv"],
    ["--debug"],
    ["--debug-all"],
    ["--debug-operations"],
    ["--debug-operations", "--json"],
    ["--debug-facts", "-vvv"],
    ["--diff"],
    ["--dry", "-vvv", "--diff", "--debug-all"],
    ["--json", "-y"],
    ["-vvv", "--debug-all", "--diff", "-y"],
)


@pytest.mark.parametrize("words", SECRETIVE, ids=" ".join)
def test_no_verbosity_prints_a_file_body_or_a_secret(plain: PlainPyinfra, words: list[str]) -> None:
    ran = plain.run(*words)
    assert ran.exit == 0, ran.output
    _holds_no_secret(plain, ran.output)
    journals = [path.read_text() for path in plain.fleet.folder.glob("reports/*/journal.jsonl")]
    assert any('"phase": "observe"' in text for text in journals)
    _holds_no_secret(plain, "".join(journals))


def test_debug_inventory_prints_no_secret_and_needs_no_identity(plain: PlainPyinfra, tmp_path: Path) -> None:
    for words in ([], ["--json"], ["--debug-all"]):
        command = [*plain.command()[:2], "debug-inventory", *words]
        ran = plain.execute(command, HOME=str(tmp_path))
        assert ran.exit == 0, ran.output
        assert "automation-key of the store (SHA256:" in ran.output
        _holds_no_secret(plain, ran.output)


def test_a_store_that_does_not_open_fails_the_hosts_and_names_the_remedy(plain: PlainPyinfra, tmp_path: Path) -> None:
    ran = plain.execute(plain.command("-y"), HOME=str(tmp_path))
    assert ran.exit == 1
    assert "SSH error" in ran.output
    assert "identity" in ran.output
    assert "Traceback" not in ran.output


def _holds_no_secret(plain: PlainPyinfra, output: str) -> None:
    shown = plain.fleet.hostmuster("secrets.show", "automation-key", "--reveal").output
    private = [line for line in shown.splitlines() if line and not line.startswith("-----")]
    assert len(private) > 3
    encoded = base64.b64encode(f"{BODY}\n".encode()).decode()
    assert not [text for text in (BODY, encoded, *private) if text in output]
