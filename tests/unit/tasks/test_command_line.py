"""The command line itself: exit codes, usage, the same tasks by `inv`, and a start that imports little."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hostmuster import __version__
from hostmuster.errors import Refused, of_file
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
        (["--list-depth", "2", "bootstrap", "check"], None),
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


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(
    ("option", "told"),
    [("--dry", "hostmuster check"), ("-R", "hostmuster check")]
    + [
        (one, f"No idea what '{one}'")
        for one in ("--pty", "--prompt-for-sudo-password", "-e", "-d", "-T", "-f", "--hide")
    ],
)
def test_an_option_that_would_not_do_what_it_says_is_refused(option: str, told: str, after: bool) -> None:
    with pytest.raises(Refused, match=told):
        parsed(*(("apply", option) if after else (option, "apply")))


def test_help_offers_the_options_that_are_taken_and_no_others() -> None:
    offered = hostmuster("--help").stdout.partition("Core options:")[2].partition("Subcommands")[0]
    assert sorted(re.findall(r"--[a-z-]+", offered)) == [
        "--complete", "--help", "--list", "--list-depth", "--list-format", "--print-completion-script", "--version",
    ]  # fmt: skip


def parsed(*words: str) -> CommandLine:
    """The command line as it is before a task is begun."""
    program = CommandLine(namespace=namespace)
    program.create_config()
    program.parse_core(["hostmuster", *words])
    program.parse_collection()
    program.parse_tasks()
    return program


def test_a_reader_of_our_output_that_has_enough_is_no_fault_of_ours() -> None:
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {sys.executable} -m hostmuster.tasks.program --list | true"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""


def test_a_folder_in_which_nothing_can_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "inventory").mkdir()
    (tmp_path / "inventory" / "f.yml").write_text("fleet: f\nlab: true\nroles: {}\nhosts: {}\n")
    (tmp_path / "secrets").write_text("a file where a folder is to be")
    words = ["secrets.init", "--fleet", "f", "--project", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-m", "hostmuster.tasks.program", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode in (1, 3)
    assert "Traceback" not in done.stderr
    assert str(tmp_path / "secrets") in done.stderr


def declare(project: Path, fleet: str, line: str) -> None:
    """A project with one fleet of one host, declared with the line."""
    (project / "inventory").mkdir()
    host = "hosts:\n  web-1: {address: 10.213.7.9, debian: 12, roles: [web]}\n"
    (project / "inventory" / f"{fleet}.yml").write_text(f"fleet: {fleet}\n{line}\nroles:\n  web: {{}}\n{host}")


FULL = "standard output: No space left on device"
LOST = "    the command has ended; only what it had to say is lost"


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--list"], [FULL]),
        (["--version"], [FULL]),
        (["lab.status", "--fleet", "idle"], [FULL, LOST]),
        (["nosuch", "--json"], ["No idea what 'nosuch' is!", FULL]),
        (["check", "--json", "--limit", ","], ["--limit: no host is named", FULL]),
    ],
)
def test_a_standard_output_that_is_full_is_named_in_one_line(
    words: list[str], told: list[str], unbuffered: str, tmp_path: Path
) -> None:
    declare(tmp_path, "idle", "lab: true")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "hostmuster.tasks.program", *words],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": unbuffered},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert [line for line in told if line not in done.stderr.splitlines()] == []
    assert done.stderr.count(FULL) == 1


def test_a_full_disk_is_told_where_the_write_names_no_file() -> None:
    with pytest.raises(OSError) as caught, Path("/dev/full").open("w") as full:
        full.write("x")
    assert str(of_file(caught.value)).startswith("No space left on device")
    reset = ConnectionResetError(104, "Connection reset by peer")
    with pytest.raises(ConnectionResetError):
        of_file(reset)


@pytest.mark.parametrize("words", [["check"], ["secrets.list"], ["check", "--project", str(ROOT), "--out", "plan"]])
def test_a_working_directory_that_was_deleted_is_told_as_such(tmp_path: Path, words: list[str]) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = 'cd "$1" && rmdir "$1" && shift && exec "$@"'
    done = subprocess.run(
        ["sh", "-c", script, "sh", str(gone), sys.executable, "-P", "-m", "hostmuster.tasks.program", *words],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr.splitlines()[0]) == (3, "the working directory has been deleted")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([b"--fleet", b"l\xe4b"], "--fleet: the fleet's name is not UTF-8"),
        ([b"--limit", b"web-1,w\xe4b"], "--limit: 'w\\udce4b' is not UTF-8"),
        ([b"--item", b"\xe4"], "--item: '\\udce4' is not UTF-8"),
        ([b"--out", b"\xe4"], "--out: "),
        ([], "$HOSTMUSTER_FLEET: the fleet's name is not UTF-8"),
    ],
)
def test_what_is_not_utf_8_is_refused_by_the_option_it_was_given_with(words: list[bytes], told: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hostmuster.tasks.program", "check", *words],
        cwd=ROOT,
        env={**os.environb, b"HOSTMUSTER_FLEET": b"lab" if words else b"l\xe4b"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert done.stderr.startswith(told)


@pytest.mark.parametrize(
    ("name", "code", "told"),
    [
        ("idle", 0, "the lab idle is down"),
        ("nosuch", 3, "there is no fleet `nosuch`"),
        ("real", 3, "the fleet real is not declared as a lab"),
    ],
)
def test_only_a_lab_that_is_declared_can_be_down(tmp_path: Path, name: str, code: int, told: str) -> None:
    declare(tmp_path, "real" if name == "real" else "idle", "lab: false" if name == "real" else "lab: true")
    done = hostmuster("lab.status", "--fleet", name, "--project", str(tmp_path))
    assert (done.returncode, told in done.stdout + done.stderr) == (code, True)
    document = hostmuster("lab.status", "--json", "--fleet", name, "--project", str(tmp_path)).stdout
    assert json.loads(document).get("exit", 0) == code
