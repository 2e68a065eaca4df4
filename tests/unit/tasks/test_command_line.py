"""The command line itself: exit codes, usage, the same tasks by `inv`, and a start that imports little."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hostmuster import __version__
from tests.unit.tasks.typed import ROOT, hostmuster


def test_the_version_is_the_packages() -> None:
    run = hostmuster("--version")
    assert (run.returncode, run.stdout.strip()) == (0, f"hostmuster {__version__}")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("nosuch",), "No idea what 'nosuch' is!"),
        (("apply", "--nosuch"), "usage: hostmuster apply"),
        (("apply", "extra"), "usage: hostmuster apply"),
        (("apply", "--batch"), "--batch needed value"),
        (("apply", "--batch", "two"), "--batch: 'two' is not a whole number above 0"),
        (("apply", "--batch", "0"), "not a whole number above 0"),
        (("apply", "--limit", ", ,"), "--limit: no host is named"),
        (("apply", "--plan", "p", "--item", "clock"), "a saved plan is applied as it is"),
        (("unlock",), "usage: hostmuster unlock HOST"),
        (("unlock", "a", "--resume", "--revert"), "give --resume or --revert"),
        (("freeze", "a", "--limit", "b"), "a is named already"),
        (("bootstrap", "a", "b"), "No idea what 'b' is!"),
        (("check", "--ask-sudo"), "no terminal to ask"),
        (("check", "--project", "/proc"), "no project here"),
        (("-f", "/nonexistent", "check"), "No idea what '-f' is!"),
        (("-F", "x", "--list"), "--list-format: 'x' is none of flat, nested, json"),
        (("--list", "nosuch"), "Sub-collection 'nosuch' not found!"),
        (("check", "--limit", "a", "--limit=b"), "--limit is given twice\n    --limit a,b"),
        (("check", "--item=clock", "--item", "units"), "--item is given twice\n    it takes one value"),
        (("bootstrap", "a", "--host", "b"), "--host is given twice"),
        (("--yes", "check"), "--yes stands before the task\n    options follow it: hostmuster TASK --yes"),
        (("--fleet=shop", "secrets.list"), "--fleet stands before the task"),
        (("secrets.list", "--fleet", "a" * 300), "has 300 characters"),
        (("secrets.list", "--fleet", "../lab"), "is not a host name's label"),
        (("secrets.list", "--fleet", "la\udcff"), "the fleet's name is not UTF-8 text"),
        (("check", "--fleet", "la\udcff"), "the fleet's name is not UTF-8 text"),
    ],
)
def test_what_cannot_be_understood_is_refused_with_what_to_write_instead(words: tuple[str, ...], told: str) -> None:
    run = hostmuster(*words)
    assert run.returncode == 3
    assert told in run.stderr
    assert "Traceback" not in run.stderr
    assert run.stdout == ""


def test_a_refusal_with_json_is_one_document_too(tmp_path: Path) -> None:
    run = hostmuster("check", "--json", cwd=tmp_path)
    assert run.returncode == 3
    assert json.loads(run.stdout)["exit"] == 3


@pytest.mark.parametrize(
    "words", [("apply", "--json", "--nosuch"), ("secrets.list", "--json", "extra"), ("nosuch", "--json"), ("--json",)]
)
def test_words_that_are_not_understood_are_one_document_too(words: tuple[str, ...]) -> None:
    run = hostmuster(*words)
    assert (run.returncode, json.loads(run.stdout)["exit"]) == (3, 3)


@pytest.mark.parametrize("task", ["secrets.list", "secrets.check"])
@pytest.mark.parametrize("absent", ["project", "store"])
def test_what_the_store_cannot_tell_is_one_document_too(tmp_path: Path, task: str, absent: str) -> None:
    (tmp_path / "inventory").mkdir()
    (tmp_path / "inventory" / "other.yml").write_text("fleet: other\n")
    words = ("--project", "/proc") if absent == "project" else ("--fleet", "other")
    run = hostmuster(task, "--json", *words, cwd=tmp_path)
    told = json.loads(run.stdout)
    assert (run.returncode, told["exit"]) == (3, 3)
    assert told["error"].strip() == run.stderr.strip()


def test_inv_serves_the_same_tasks_with_the_same_exit_codes() -> None:
    inv = Path(sys.executable).with_name("inv")
    refused = subprocess.run([inv, "apply", "--nosuch"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert refused.returncode == 3
    listed = subprocess.run([inv, "--list"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert listed.stdout == hostmuster("--list").stdout


HEAVY = ("pydantic", "pyinfra", "gevent", "jinja2", "rich", "paramiko", "cryptography", "httpx")


def test_nothing_heavy_is_imported_before_the_engine_starts() -> None:
    script = f"""
import sys
from hostmuster.tasks import program
try:
    program.main(["hostmuster", "check", "--limit", ","])
except SystemExit as end:
    assert end.code == 3
print(*(name for name in {HEAVY!r} if name in sys.modules))
"""
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""


def test_a_secret_typed_as_an_argument_by_mistake_is_not_repeated() -> None:
    typed = subprocess.run(
        [sys.executable, "-m", "hostmuster.tasks.program", "secrets.set", "web/token", "hunter2-by-mistake"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert typed.returncode == 3
    assert "hunter2" not in typed.stdout + typed.stderr
    assert "standard input" in typed.stderr
