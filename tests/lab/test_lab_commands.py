"""The lab's tasks as an operator types them, in a project of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hostmuster.lab import wreck
from hostmuster.lab.folder import LabFolder, all_labs

NAME = f"test-{os.getpid()}-commands"

FLEET = """\
fleet: {name}
lab: {lab}
roles: {{server: {{}}, worker: {{}}}}
hosts:
  server-1: {{address: 10.213.{slot}.11, debian: 12, roles: [server]}}
  worker-1: {{address: 10.213.{slot}.12, debian: 12, roles: [worker]}}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A project whose fleet is a lab of two hosts, in a network no other lab has."""
    root = tmp_path_factory.mktemp("commands")
    (root / "inventory" / "known_hosts").mkdir(parents=True)
    records = [LabFolder(name).read() for name in all_labs()]
    slot = min(set(range(100, 200)) - {record.slot for record in records if record})
    (root / "inventory" / f"{NAME}.yml").write_text(FLEET.format(name=NAME, lab="true", slot=slot))
    (root / "inventory" / "real.yml").write_text(FLEET.format(name="real", lab="false", slot=slot))
    try:
        yield root
    finally:
        wreck.clear(NAME)


def task(project: Path, *words: str, fleet: str = NAME) -> subprocess.CompletedProcess[str]:
    """Run a task there, without a terminal."""
    argv = [sys.executable, "-m", "hostmuster.tasks.program", *words, "--fleet", fleet]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.run(
        argv, cwd=project, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, env=environment
    )


def states(project: Path) -> dict[str, str]:
    """What lab.status --json says of each host."""
    told = task(project, "lab.status", "--json")
    assert told.returncode == 0, told.stderr
    return {name: host["state"] for name, host in json.loads(told.stdout)["hosts"].items()}


def test_up_status_kill_start_ssh_and_down(project: Path) -> None:
    up = task(project, "lab.up", "--hosts", "3")
    assert up.returncode == 0, up.stderr
    assert states(project) == {"server-1": "running", "worker-1": "running", "worker-2": "running"}
    pins = (project / "inventory" / "known_hosts" / NAME).read_text().splitlines()
    assert len(pins) == 3
    assert all(pin.split()[1] == "ssh-ed25519" for pin in pins)

    shell = task(project, "lab.ssh", "worker-2", "--command", "hostname; echo aside >&2; exit 7")
    assert (shell.returncode, shell.stdout, shell.stderr) == (7, "worker-2\n", "aside\n")

    assert task(project, "lab.kill", "server-1").returncode == 0
    assert task(project, "lab.cut", "worker-1").returncode == 0
    assert states(project) == {"server-1": "off", "worker-1": "cut", "worker-2": "running"}
    off = task(project, "lab.ssh", "server-1", "--command", "true")
    assert (off.returncode, "server-1: is off" in off.stderr) == (1, True)
    assert task(project, "lab.start", "server-1").returncode == 0
    assert task(project, "lab.heal", "worker-1").returncode == 0
    assert task(project, "lab.cut", "worker-1", "--from", "server-1").returncode == 0
    assert set(states(project).values()) == {"running"}

    assert task(project, "lab.up").returncode == 0
    assert list(states(project)) == ["server-1", "worker-1"]
    assert task(project, "lab.down").returncode == 0
    assert task(project, "lab.down").returncode == 0
    assert states(project) == {}
    assert not (project / "inventory" / "known_hosts" / NAME).exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("lab.up", "--hosts", "0"), "not a whole number above 0"),
        (("lab.up", "--hosts", "999"), "no address is left"),
        (("lab.kill", "server-1"), "there is no such lab"),
        (("lab.ssh", "server-1"), "there is no such lab"),
        (("lab.kill",), "usage: hostmuster lab.kill HOST"),
    ],
)
def test_what_cannot_be_done_is_refused(project: Path, words: tuple[str, ...], told: str) -> None:
    refused = task(project, *words)
    assert refused.returncode == 3
    assert told in refused.stderr
    assert "Traceback" not in refused.stderr
    assert NAME not in all_labs()


def test_a_fleet_that_is_no_lab_is_never_brought_up(project: Path) -> None:
    refused = task(project, "lab.up", fleet="real")
    assert refused.returncode == 3
    assert "not declared as a lab" in refused.stderr
    assert "real" not in all_labs()
