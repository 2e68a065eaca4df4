"""Drills on real hosts: what is done is seen, comes to its end, and nothing of it is left."""

from __future__ import annotations

import json

from tests.drills.drilling.drilled import Drilled

KEYS = {
    *("id", "drill", "requirement", "host", "release", "config_digest", "versions", "started", "steady_state", "fault"),
    *("measured", "targets", "cleanup", "not_run", "verdict"),
}


def test_a_servers_process_comes_back_each_time_and_the_evidence_is_whole(drilled: Drilled) -> None:
    found = drilled.held("server-process")
    assert [one.what.split()[0] for one in found.fault] == ["SIGTERM", "SIGKILL", "workload.service"]
    assert all(shown.ok for one in found.fault for shown in one.seen)
    assert found.measured.failed == {"GET": 0}
    folder = drilled.reports / found.id
    document = json.loads((folder / "evidence.json").read_text())
    assert document.keys() == KEYS
    assert document["steady_state"].keys() == {"before", "after"}
    assert {"outage_s", "sampling_s", "failed", "acknowledged", "lost", "duplicated"} == document["measured"].keys()
    assert len(found.config_digest) == 64
    assert found.versions["debian"].startswith("12")
    page = (folder / "report.html").read_text()
    assert "Second by second".lower() in page.lower()
    assert (folder / "client-1.json").exists()
    assert (folder / "evidence.json").stat().st_mode & 0o77 == 0
    assert drilled.at_rest() == []
    listed = drilled.fleet.run("report")
    assert [one["drill"] for one in listed.document["drills"]][:1] == ["server-process"]


def test_a_server_that_is_cut_off_is_missed_by_nobody_and_back(drilled: Drilled) -> None:
    found = drilled.held("cut-host", "--host", "server-2")
    seen = {shown.name: shown.ok for one in found.fault for shown in one.seen}
    assert seen == {"the target is not ready meanwhile": True, "the other hosts are ready": True}
    assert found.measured.failed == {"GET": 0}
    assert drilled.at_rest() == []
    assert drilled.probes() == []


def test_a_docker_daemon_that_stops_is_named_by_its_host(drilled: Drilled) -> None:
    found = drilled.held("docker", "--host", "worker-1")
    ((shown,),) = (one.seen for one in found.fault)
    assert shown.ok
    assert "web" in shown.seen
    assert drilled.on("worker-1", "docker inspect -f '{{.State.Running}}' web") == "true"


def test_a_promise_that_is_not_kept_refutes_with_exit_code_2(drilled: Drilled) -> None:
    drilled.declare(targets={"process": {"outage_s": 60, "back_s": 0.5}})
    try:
        done = drilled.run("server-process")
    finally:
        drilled.declare()
    assert done.exit == 2
    assert done.document["drills"][0]["verdict"] == "refuted"
    assert drilled.at_rest() == []


def test_where_there_is_no_ground_it_is_not_run_with_the_reason(drilled: Drilled) -> None:
    done = drilled.run("docker")
    assert done.exit == 3
    (one,) = done.document["drills"]
    assert (one["verdict"], one["not_run"]) == ("not_run", ["server-2 has no settings of the item containers"])
