"""Bad input of these items on the real command line: exit 3, every mistake at once, nothing touched.

The fleet is a lab's that does not exist: had a run got as far as a connection, it would have said so.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from hostmuster.lab.machine import Machine
from tests.lab.fleet_on_lab import REPOSITORY, Finished, FleetOnLab

MACHINES = [Machine("server-1", "10.213.9.11", 12, ("server",)), Machine("worker-1", "10.213.9.12", 13, ("worker",))]


@pytest.fixture
def project(tmp_path: Path) -> FleetOnLab:
    """A project with a store and templates of its own."""
    fleet = FleetOnLab(tmp_path, "bad-input")
    (tmp_path / "templates").unlink()
    shutil.copytree(REPOSITORY / "templates", tmp_path / "templates")
    fleet.declare(MACHINES)
    made = fleet.hostmuster("secrets.init")
    assert made.exit == 0, made.errors
    return fleet


def refused(project: FleetOnLab, **settings: Any) -> str:
    """What `apply` says of these settings; it has to refuse them."""
    project.settings = settings
    project.declare(MACHINES)
    done: Finished = project.hostmuster("apply")
    said = done.output + done.errors
    assert done.exit == 3, said
    assert "nothing was touched" in said
    assert "the lab is down" not in said
    assert "Traceback" not in said
    return said


def template(project: FleetOnLab, name: str, body: bytes | str) -> None:
    """A template of the project's own."""
    path = project.folder / "templates" / name
    path.write_bytes(body if isinstance(body, bytes) else body.encode())


def test_good_settings_get_as_far_as_the_lab_that_is_down(project: FleetOnLab) -> None:
    done = project.hostmuster("apply")
    assert done.exit == 3
    assert "the lab is down" in done.output + done.errors


def test_every_kind_of_mistake_is_said_in_one_run(project: FleetOnLab) -> None:
    template(project, "workspace/undefined.j2", "one\n{{ host.name }} {{ prot }}\n")
    template(project, "workspace/large.j2", b"x" * 5_000_000)
    template(project, "workspace/latin.j2", b"caf\xe9\n")
    template(project, "units/broken.j2", "[Service]\nExecStart=/bin/true\nRestart=allways\nStartLimitBurst=3\n")
    (project.folder / "templates" / "workspace" / "home" / "two words").write_text("x")
    files = {name: {"template": f"{name}.j2", "owner": "root"} for name in ("undefined", "large", "latin", "gone")}
    said = refused(
        project,
        workspace={
            "files": {f"/srv/{name}": file for name, file in files.items()},
            "directories": {"/srv/a": {"owner": "nobodys"}, "/usr/bin/b": {"owner": "root"}},
            "trees": {"/srv/home": {"folder": "home", "owner": "root"}},
        },
        units={"declared": {"broken.service": {"template": "broken.j2"}}},
    )
    for part in (
        "templates/workspace/undefined.j2:2: 'prot' is undefined (for server-1, worker-1)",
        "templates/workspace/large.j2: has 5000000 bytes",
        "templates/workspace/latin.j2:1: not UTF-8 there",
        "templates/workspace/gone.j2: there is no such template",
        "templates/workspace/home: blanks or control characters in file names: 'two words'",
        "/srv/a is to belong to nobodys, whom nobody makes",
        "/usr/bin/b is outside what an item may write",
        "/etc/systemd/system/broken.service: line 3: Failed to parse service restart specifier",
        "/etc/systemd/system/broken.service: line 4: StartLimitBurst belongs in [Unit]",
    ):
        assert part in said


def test_every_wrong_setting_is_said_in_one_run_with_its_line(project: FleetOnLab) -> None:
    said = refused(
        project,
        clock={"servers": ["a b"], "most_offset_s": 0},
        workspace={
            "directories": {"/srv/a": {"mode": 755}, "/srv/two words": {}, "/srv/line\nbreak": {}, "srv": {}},
            "files": {"/srv/../etc/x": {"template": "x.j2", "mode": "u=rw"}},
        },
        env_files={"files": {"f": {"path": "/etc/f", "consumer": "docker", "values": {"A": "hidden\nline"}}}},
        units={"workload": {"drain_s": 60, "stop_s": 10}, "declared": {"x": {"template": "x.j2"}}},
    )
    for part in (
        "`a b` is neither an address nor a name",
        "the file mode 755 is a number",
        "a space in the path '/srv/two words'",
        "a line break in the path",
        "the path `srv` is not absolute",
        "`.` or `..` in the path",
        "`u=rw` is not a file mode",
        "docker cannot carry: A holds a line break",
        "stop_s 10 is not above drain_s 60",
        "`x` is not a unit's name",
    ):
        assert part in said
    assert said.count("inventory/bad-input.yml:") >= 10
    assert "hidden" not in said


def test_a_directory_that_two_items_declare_is_named_with_both(project: FleetOnLab) -> None:
    said = refused(
        project,
        workspace={"directories": {"/etc/app": {"owner": "root"}}},
        env_files={"files": {"f": {"path": "/etc/app/f", "consumer": "systemd", "values": {"A": "b"}}}},
    )
    assert "directory /etc/app is declared twice, by workspace and by env_files" in said
