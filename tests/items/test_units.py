"""The units item: the workload as shipped, each replica by its own name, other units from templates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hostmuster.env.file import render
from hostmuster.errors import InputError
from hostmuster.lab.workload_service import source
from tests.items.project import REPOSITORY, compiled, fleet, resource

WORKLOAD: dict[str, Any] = {"units": {"workload": {"port": 8080, "drain_s": 5, "stop_s": 10}}}
ENV: dict[str, Any] = {
    "env_files": {
        "files": {
            "own": {
                "path": "/etc/workload/own.env",
                "consumer": "systemd",
                "restarts": ["workload.service"],
                "values": {"LEVEL": "info"},
            }
        }
    }
}


def test_what_is_shipped_is_the_workload_of_this_repository(tmp_path: Path) -> None:
    part = compiled(tmp_path, "units", WORKLOAD)
    for name, body in source().items():
        file = resource(part, f"file /opt/workload/{name}")
        assert file.content == body == (REPOSITORY / "hostmuster" / "lab" / "workload" / name).read_bytes()
        assert file.restarts == ("workload.service",)


def test_every_replica_is_somebody_else_and_stays_it(tmp_path: Path) -> None:
    bodies = {}
    for host in ("server-1", "worker-1"):
        lines = resource(compiled(tmp_path, "units", WORKLOAD, host=host), "file /etc/default/workload").content
        bodies[host] = dict(line.split("=", 1) for line in lines.decode().splitlines())
    for name in ("WORKLOAD_HOST", "WORKLOAD_WORKER_ID", "WORKLOAD_MACHINE_ID", "WORKLOAD_BIND"):
        assert bodies["server-1"][name] != bodies["worker-1"][name]
    again = resource(compiled(tmp_path, "units", WORKLOAD), "file /etc/default/workload").content
    assert again.decode().splitlines() == [f"{name}={value}" for name, value in bodies["server-1"].items()]


def test_the_workload_reads_the_env_files_that_restart_it_and_its_identity_last(tmp_path: Path) -> None:
    body = resource(
        compiled(tmp_path, "units", WORKLOAD | ENV), "file /etc/systemd/system/workload.service"
    ).content.decode()
    assert [line for line in body.splitlines() if line.startswith("EnvironmentFile=")] == [
        "EnvironmentFile=/etc/workload/own.env",
        "EnvironmentFile=/etc/default/workload",
    ]
    assert body.index("StartLimitBurst") < body.index("[Service]")
    assert "TimeoutStopSec=10s" in body


def test_an_env_file_cannot_make_a_replica_somebody_else(tmp_path: Path) -> None:
    other = {"env_files": {"files": {"own": ENV["env_files"]["files"]["own"] | {"values": {"WORKLOAD_HOST": "x"}}}}}
    with pytest.raises(InputError) as caught:
        compiled(tmp_path, "units", WORKLOAD | other)
    assert "env_files sets WORKLOAD_HOST, which units sets for workload.service" in str(caught.value)


def test_a_stop_that_cuts_the_drain_short_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        fleet(tmp_path, {"units": {"workload": {"drain_s": 60, "stop_s": 60}}})
    assert "stop_s 60 is not above drain_s 60" in str(caught.value)


def test_a_unit_that_systemd_would_half_ignore_does_not_compile(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    for item in ("access", "clock", "workspace"):
        (tmp_path / "templates" / item).symlink_to(REPOSITORY / "templates" / item)
    (tmp_path / "templates" / "units").mkdir()
    body = "[Service]\nExecStart=/bin/sleep {{ seconds }}\nEnvironment=A=b%20c\n"
    (tmp_path / "templates" / "units" / "x.j2").write_text(body)
    with pytest.raises(InputError) as caught:
        compiled(
            tmp_path, "units", {"units": {"declared": {"x.service": {"template": "x.j2", "values": {"seconds": 9}}}}}
        )
    (problem,) = caught.value.problems
    assert problem.where == "server-1, worker-1, units, /etc/systemd/system/x.service"
    assert "line 3: Failed to resolve specifiers" in problem.what


def test_the_identity_is_written_for_systemd(tmp_path: Path) -> None:
    body = resource(compiled(tmp_path, "units", WORKLOAD), "file /etc/default/workload").content
    assert body.startswith(render("systemd", {"WORKLOAD_BIND": "192.0.2.11", "WORKLOAD_PORT": 8080}))


def test_a_unit_whose_user_nobody_makes_does_not_compile(tmp_path: Path) -> None:
    (tmp_path / "templates" / "units").mkdir(parents=True)
    for name in ("access", "clock"):
        (tmp_path / "templates" / name).symlink_to(REPOSITORY / "templates" / name)
    (tmp_path / "templates" / "units" / "job.j2").write_text("[Service]\nExecStart=/bin/true\nUser=nosuchuser\n")
    with pytest.raises(InputError, match=r"job\.service runs as nosuchuser, whom nobody makes"):
        compiled(tmp_path, "units", {"units": {"declared": {"job.service": {"template": "job.j2"}}}})
