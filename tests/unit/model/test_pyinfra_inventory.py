"""Plain pyinfra reads the same fleet: the real command, on the real inventory file."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hostmuster.model.fleet import Fleet
from hostmuster.model.pyinfra_inventory import groups_of
from hostmuster.project import Project

REPOSITORY = Path(__file__).resolve().parents[3]
PYINFRA = Path(sys.executable).with_name("pyinfra")


@pytest.fixture
def inventory(project: Project, good: str) -> Path:
    """The repository's inventory/lab.py beside a fleet file of its own."""
    project.fleet_file("lab").write_text(good.replace("[server]}", "[server, worker]}"), encoding="utf-8")
    return Path(shutil.copy(REPOSITORY / "inventory" / "lab.py", project.root / "inventory" / "lab.py"))


def debug_inventory(inventory: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PYINFRA, str(inventory), "debug-inventory"],
        cwd=inventory.parent.parent,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def shown_hosts(printed: str) -> dict[str, tuple[set[str], dict[str, object]]]:
    """Groups and data by host, out of what debug-inventory prints."""
    hosts = {}
    for block in printed.split("\n[")[1:]:
        name, _, rest = block.partition("]")
        groups = rest.split("Groups: ")[1].split("\n")[0]
        data, _ = json.JSONDecoder().raw_decode(rest[rest.index("{") :])
        hosts[name] = (set(groups.split(", ")), data)
    return hosts


def test_hosts_are_grouped_by_role_and_reached_by_their_pinned_keys_only(inventory: Path) -> None:
    done = debug_inventory(inventory, HOSTMUSTER_SSH_KEY="/keys/automation")
    assert done.returncode == 0, done.stderr
    hosts = shown_hosts(done.stdout + done.stderr)
    assert {name: groups for name, (groups, _) in hosts.items()} == {
        "server-1": {"lab", "server", "worker"},
        "worker-1": {"lab", "worker"},
    }
    assert hosts["worker-1"][1] == {
        "ssh_hostname": "192.0.2.12",
        "ssh_port": 22,
        "ssh_user": "hostmuster",
        "ssh_key": "/keys/automation",
        "ssh_known_hosts_file": str(inventory.parent / "known_hosts" / "lab"),
        "ssh_strict_host_key_checking": "yes",
        "ssh_config_file": "/dev/null",
        "_sudo": True,
        "fleet": "lab",
        "lab": False,
        "debian": 13,
        "roles": ["worker"],
    }


def test_mistakes_are_said_as_everywhere_and_the_exit_code_is_3(inventory: Path) -> None:
    fleet = inventory.with_suffix(".yml")
    fleet.write_text(fleet.read_text(encoding="utf-8").replace("debian: 13", "debian: 013"), encoding="utf-8")
    done = debug_inventory(inventory)
    assert done.returncode == 3
    assert "inventory/lab.yml:12: `013` with a leading zero" in done.stderr
    assert "Traceback" not in done.stderr


def test_nothing_of_the_secrets_store_is_host_data(project: Project, good: str, load: Callable[..., Fleet]) -> None:
    fleet = load(good, public={"ssh-ca.pub": "ssh-ed25519 AAAAC3Nz"})
    assert "AAAAC3Nz" not in json.dumps(groups_of(project, fleet))


def test_the_translation_does_not_need_pyinfra() -> None:
    code = "import sys, hostmuster.model.pyinfra_inventory; print('pyinfra' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "False\n"
