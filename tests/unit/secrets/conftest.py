"""A store of its own for every test, in a home of its own: the operator's keys are never looked at."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from hostmuster.secrets.founding import found_store
from hostmuster.secrets.store import Store
from hostmuster.secrets.value import Secret

ROOT = Path(__file__).parents[3]

Edit = Callable[[str, str], None]


@dataclass(frozen=True)
class Operator:
    """Somebody with a home folder, a project in it, and nobody's keys but their own."""

    home: Path
    project: Path

    @property
    def environ(self) -> dict[str, str]:
        kept = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "PYTHONPATH": str(ROOT)}
        return {**kept, "HOME": str(self.home)}

    @property
    def path(self) -> Path:
        return self.project / "secrets" / "lab.yml"

    @property
    def age_file(self) -> Path:
        return self.home / ".config" / "hostmuster" / "age.txt"

    def run(self, *argv: str, given: bytes = b"", **more: str) -> subprocess.CompletedProcess[bytes]:
        """The command line, as typed in the project's folder."""
        command = [sys.executable, "-m", "hostmuster.tasks.program", *argv]
        return subprocess.run(
            command, cwd=self.project, env={**self.environ, **more}, input=given, capture_output=True, check=False
        )

    def sops(self, *argv: str) -> subprocess.CompletedProcess[str]:
        """The sops tool itself, with this operator's keys."""
        tool = Path(sys.executable).with_name("sops")
        environ = {**self.environ, "SOPS_AGE_KEY_FILE": str(self.age_file)}
        return subprocess.run([tool, *argv], cwd=self.project, env=environ, capture_output=True, text=True, check=False)


def operator_in(folder: Path) -> Operator:
    (folder / "home").mkdir(parents=True)
    inventory = folder / "project" / "inventory"
    inventory.mkdir(parents=True)
    for fleet in ("lab", "example", "other"):
        (inventory / f"{fleet}.yml").write_text(f"fleet: {fleet}\n")
    return Operator(folder / "home", folder / "project")


@pytest.fixture
def operator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Operator:
    who = operator_in(tmp_path)
    monkeypatch.setenv("HOME", str(who.home))
    for variable in ("SOPS_AGE_KEY_FILE", "XDG_CONFIG_HOME", "HOSTMUSTER_SECRETS", "HOSTMUSTER_FLEET"):
        monkeypatch.delenv(variable, raising=False)
    return who


@pytest.fixture
def store(operator: Operator) -> Store:
    """A new store with two secrets of its own."""
    made = found_store(operator.path, "lab", [], operator.environ, operator.home).store
    return made.set("db-password", Secret("correct horse")).set("api-token", Secret("battery staple"))


@pytest.fixture
def founded(operator: Operator) -> Operator:
    """Somebody who has typed secrets.init."""
    made = operator.run("secrets.init")
    assert made.returncode == 0, made.stderr
    return operator


@pytest.fixture
def edit(store: Store) -> Edit:
    """Changes the store's text as an editor, a merge or an attacker would."""

    def replace(old: str, new: str) -> None:
        text = store.path.read_text()
        assert old in text
        store.path.write_text(text.replace(old, new, 1))

    return replace
