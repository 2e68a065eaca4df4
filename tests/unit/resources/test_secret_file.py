"""A file with a value of the store: compared without showing it, written for root alone."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hostmuster.engine.catalogue import Compiled
from hostmuster.engine.plan import HostPlan, plan_host
from hostmuster.item import Item
from hostmuster.resources.resource import Observation
from hostmuster.resources.secret_file import SALTED, SecretFile
from hostmuster.resources.stat import STAT
from hostmuster.resources.step import Blocked, Put
from hostmuster.secrets.sealed import Sealed
from hostmuster.secrets.value import Secret

VALUE = "https://hooks.example.net/T0p5ecret"
ORIGIN = "https://hooks.example.net"


def sealed(value: str = VALUE) -> Sealed:
    return Sealed("hook", lambda: Secret(value), lambda: Secret(value).fingerprint(b"the store's"))


def looked_at(path: Path, value: str = VALUE) -> tuple[SecretFile, Observation]:
    """The resource, and what the real probes answer of the file that lies there."""
    file = SecretFile(str(path), sealed(value), ORIGIN)
    stat, content = file.questions()
    salted = subprocess.run([*SALTED.argv, content.key], capture_output=True, text=True, check=True).stdout
    seen = {(SALTED.name, key): text for key, text in SALTED.split(salted, [content.key]).items()}
    if path.exists():
        line = subprocess.run(
            ["stat", "--printf", "%F|%a|%U|%G|%s|%N", path], capture_output=True, text=True, check=True
        ).stdout
        seen[STAT.name, stat.key] = line
    return file, Observation(seen)


def plan(file: SecretFile, seen: Observation) -> HostPlan:
    return plan_host("a", [Compiled(Item("web"), "", (file,), ())], seen, 1, frozenset({"web"}), Path())


def test_missing_it_is_written_for_root_alone(tmp_path: Path) -> None:
    file, seen = looked_at(tmp_path / "url")
    assert [str(one) for one in file.compare(seen)] == [f"{file.id}: presence is missing, declared a file"]
    assert list(file.steps(seen)) == [Put(file.path, VALUE.encode(), "0600", "root", "root")]


@pytest.mark.parametrize(
    ("content", "mode", "differs"),
    [
        (VALUE, 0o600, []),
        (VALUE, 0o640, ["mode"]),
        ("https://old.example.net/0ld", 0o600, ["content"]),
        ("", 0o644, ["content", "mode"]),
    ],
)
def test_what_lies_there_is_compared_and_never_shown(
    tmp_path: Path, content: str, mode: int, differs: list[str]
) -> None:
    (tmp_path / "url").write_text(content)
    (tmp_path / "url").chmod(mode)
    file, seen = looked_at(tmp_path / "url")
    found = list(file.compare(seen))
    assert [one.aspect for one in found] == differs
    assert VALUE not in f"{found}{file}{list(file.steps(seen))}"
    assert all(content not in str(one) for one in found if content)


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text(VALUE)
    (tmp_path / "url").symlink_to(tmp_path / "kept")
    file, seen = looked_at(tmp_path / "url")
    assert [one.have for one in file.compare(seen)] == ["a symbolic link"]


def test_a_saved_plan_is_the_same_in_another_run_and_not_for_another_value(tmp_path: Path) -> None:
    (tmp_path / "url").write_text("another")
    first, second, changed = (plan(*looked_at(tmp_path / "url", value)) for value in (VALUE, VALUE, f"{VALUE}2"))
    assert first.fingerprint == second.fingerprint
    assert first.fingerprint != changed.fingerprint


@pytest.mark.parametrize("value", ["https://hooks.example.net.evil.example/x", "http://hooks.example.net/x", "nothing"])
def test_a_value_that_is_not_what_was_declared_of_it_goes_nowhere(tmp_path: Path, value: str) -> None:
    (tmp_path / "url").write_text(value)
    file, seen = looked_at(tmp_path / "url", value)
    assert "the secret hook" in [one.aspect for one in file.compare(seen)]
    (blocked,) = file.steps(seen)
    assert isinstance(blocked, Blocked)
    assert value not in blocked.reason
    assert "secrets.set hook" in blocked.reason
