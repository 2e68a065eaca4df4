"""Acts on encrypted rows: what makes a service of them, in which order they are recorded, and what nobody sees."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from pydantic import ValidationError

from hostmuster.resources.step import Put, Run
from hostmuster.secrets import row_acts
from hostmuster.secrets.kinds.fernet import generate
from hostmuster.secrets.rotation.migration import Migration
from hostmuster.secrets.row_commands import Act, RowCommands
from hostmuster.secrets.succession import Succession

KEYS = Succession(generate("ai-key"), generate("ai-key"))
GIVEN = {
    "host": "server-1",
    "unit": "app.service",
    "env": {"AI_KEY_NEXT": "next"},
    "files": {"AI_KEY_FILE": "current"},
    "dump": ["/opt/rows", "dump"],
    "migrate": ["/bin/sh", "-c", 'exec "$0" 100% \\now', "/opt/rows"],
    "prove": ["/opt/rows", "prove"],
    "put_back": ["/opt/rows", "put-back"],
}
COMMANDS = RowCommands.model_validate(GIVEN)


def said(act: Act) -> list[str]:
    """What the runs of an act are, the record by the words that it is given."""
    steps = row_acts.steps(act, "ai/key", COMMANDS, KEYS, "0123abcd")
    runs = [step.argv for step in steps if isinstance(step, Run)]
    return [argv[-1] for argv in runs if argv[-1].startswith("0123abcd") or argv[-1] in ("rows", "told")]


def test_a_stage_is_on_record_before_the_next_act_begins_and_after_the_one_before_it() -> None:
    assert said("dump") == ["rows", "0123abcd dumped"]
    assert said("migrate") == ["0123abcd migrating", "told", "0123abcd migrated"]
    assert said("prove") == ["told", "0123abcd proved"]
    assert said("put back") == ["told", "0123abcd put back"]


def test_keys_go_by_files_of_roots_own_and_in_no_command() -> None:
    steps = row_acts.steps("migrate", "ai/key", COMMANDS, KEYS, "0123abcd")
    files = {step.path: step for step in steps if isinstance(step, Put)}
    folder = "/var/lib/hostmuster/migrations/ai.key"
    assert {path: (one.mode, one.owner) for path, one in files.items()} == {
        f"{folder}/current": ("0400", "root"),
        f"{folder}/keys.env": ("0400", "root"),
    }
    assert KEYS.next is not None
    assert KEYS.current.reveal() in files[f"{folder}/current"].content
    assert KEYS.next.reveal() in files[f"{folder}/keys.env"].content
    words = " ".join(word for step in steps if isinstance(step, Run) for word in (*step.argv, *step.undo))
    assert KEYS.current.text() not in words
    assert KEYS.next.text() not in words


def test_nothing_in_a_command_is_left_for_systemd_to_replace() -> None:
    lines = COMMANDS.service("migrate", "/f").splitlines()
    assert 'ExecStart="/bin/sh" "-c" "exec \\"$$0\\" 100%% \\\\now" "/opt/rows"' in lines
    assert lines.index("ExecStart=") < lines.index(next(line for line in lines if line.startswith('ExecStart="')))
    assert "Environment=AI_KEY_FILE=%d/hostmuster-rows-current" in lines
    assert "LoadCredential=hostmuster-rows-current:/f/current" in lines
    assert "EnvironmentFile=/f/keys.env" in lines


def test_only_what_puts_rows_back_reads_them() -> None:
    assert "StandardInput=file:/f/rows" in COMMANDS.service("put back", "/f")
    others: tuple[Act, ...] = ("dump", "migrate", "prove")
    assert all("StandardInput=null" in COMMANDS.service(act, "/f") for act in others)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"prove": []}, "without its program's path"),
        ({"migrate": ["rows", "migrate"]}, "without its program's path"),
        ({"dump": ["/opt/rows", "a\nb"]}, "not printable"),
        ({"env": {"AI_KEY": "previous"}}, "'current' or 'next'"),
        ({"put_back": None}, "valid tuple"),
    ],
)
def test_what_is_no_command_is_refused(change: dict[str, object], what: str) -> None:
    with pytest.raises(ValidationError, match=what):
        RowCommands.model_validate(GIVEN | change)


def test_a_record_is_read_as_it_was_written_or_not_at_all(tmp_path: Path) -> None:
    (mark,) = (step for step in row_acts.marked("ai-key", "0123abcd", "put back")[1:] if isinstance(step, Run))
    script, folder = mark.argv[2], tmp_path
    assert subprocess.run(["sh", "-c", script, "sh", folder, mark.argv[-1]], check=False).returncode == 0
    assert row_acts.parsed((folder / "record").read_text()) == Migration("0123abcd", "put back")
    for text in ("", "0123abcd", "0123abcd half", "\n"):
        assert row_acts.parsed(text) is None
