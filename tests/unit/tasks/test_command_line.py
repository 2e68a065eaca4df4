"""The command line itself: exit codes, usage, the same tasks by `inv`, and a start that imports little."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hostmuster import __version__
from hostmuster.errors import Refused
from hostmuster.tasks import namespace
from hostmuster.tasks.job import Options, host_list
from hostmuster.tasks.program import CommandLine

ROOT = Path(__file__).parents[3]


def hostmuster(*words: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """The real command, without a terminal."""
    return subprocess.run(
        [sys.executable, "-m", "hostmuster.tasks.program", *words],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


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


def test_the_fleet_is_the_one_named_else_the_environments_else_lab(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOSTMUSTER_FLEET", raising=False)
    project = str(ROOT)
    assert Options(project=project).job("check").fleet == "lab"
    monkeypatch.setenv("HOSTMUSTER_FLEET", "shop")
    assert Options(project=project).job("check").fleet == "shop"
    assert Options(project=project, fleet="other").job("check").fleet == "other"


def test_a_host_named_twice_is_one_host() -> None:
    assert host_list("b, a,b") == ("b", "a")
    assert host_list(None) is None
    with pytest.raises(Refused):
        host_list("")


@pytest.mark.parametrize(
    ("words", "host"),
    [
        (["bootstrap"], None),
        (["bootstrap", "web-1"], "web-1"),
        (["bootstrap", "--yes", "web-1", "--json"], "web-1"),
        (["bootstrap", "--fleet", "shop", "web-1"], "web-1"),
        (["bootstrap", "--fleet=shop", "web-1"], "web-1"),
        (["--echo", "bootstrap", "check"], None),
    ],
)
def test_bootstrap_takes_a_host_as_its_argument_or_none(words: list[str], host: str | None) -> None:
    program = CommandLine(namespace=namespace)
    program.create_config()
    program.parse_core(["hostmuster", *words])
    program.parse_collection()
    program.parse_tasks()
    assert program.tasks[0].as_kwargs["host"] == host


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


@pytest.mark.parametrize("option", ["--dry", "-R", "--pty", "--prompt-for-sudo-password"])
def test_an_option_that_would_not_do_what_it_says_is_refused(option: str) -> None:
    program = CommandLine(namespace=namespace)
    program.create_config()
    with pytest.raises(Refused, match="hostmuster check"):
        program.parse_core(["hostmuster", option, "apply"])
