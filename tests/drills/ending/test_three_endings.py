"""What a restart ends is told before it and after it: drained, stopped and killed apart, on both Debians (K9)."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from hostmuster.lab.lab import Lab
from tests.lab.backends.backends import HOSTS, PORT, BackendsFleet, two_hosts
from tests.lab.fleet_on_lab import REPOSITORY, Finished, machines_of

DRAIN_S, STOP_S = 5, 10
BESIDE, APART_S = 4, 0.4
STUBBORN = """\
[Unit]
Description=Takes no notice of SIGTERM

[Service]
ExecStart=/bin/sh -c 'trap "" TERM; while :; do sleep {{ every_s }}; done'
TimeoutStopSec=2s

[Install]
WantedBy=multi-user.target
"""


class Served:
    """Two hosts with the workload, and a service that ignores SIGTERM."""

    def __init__(self, fleet: BackendsFleet, lab: Lab) -> None:
        self.fleet, self.lab = fleet, lab
        stubborn = {"template": "stubborn.service.j2", "values": {"every_s": 1}, "runs": ["echo", "a run without end"]}
        self.workload: dict[str, int] = {"drain_s": DRAIN_S, "stop_s": STOP_S}
        self.fleet.settings = {"units": {"workload": self.workload, "declared": {"stubborn.service": stubborn}}}
        self.stubborn: dict[str, Any] = stubborn

    def applied(self, word: str = "apply") -> Finished:
        """With the settings as they are now."""
        self.fleet.declare(machines_of(self.lab))
        return self.fleet.run(word)

    @contextmanager
    def busy(self, seconds: int) -> Iterator[None]:
        """Requests of so many seconds on each host, several beside one another: one is under way at any time."""
        urls = [f"http://{m.address}:{PORT}/work?seconds={seconds}" for m in machines_of(self.lab)]
        # They begin apart: else they end together, and at that moment none is under way.
        asking = "sleep {}; while curl -sf -o /dev/null '{}'; do :; done"
        loops = [
            subprocess.Popen(["sh", "-c", asking.format(at * APART_S, url)], start_new_session=True)
            for at in range(BESIDE)
            for url in urls
        ]
        try:
            for machine in machines_of(self.lab):
                while not httpx.get(f"http://{machine.address}:{PORT}/internal/runs", timeout=5).json()["runs"]:
                    time.sleep(0.05)
            yield
        finally:
            for loop in loops:
                os.killpg(loop.pid, signal.SIGKILL)
                loop.wait(10)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    name = f"test-{os.getpid()}-ending"
    fleet = BackendsFleet(tmp_path_factory.mktemp("ending") / "project", name)
    (fleet.folder / "templates").unlink()
    (fleet.folder / "templates" / "units").mkdir(parents=True)
    for folder in (REPOSITORY / "templates").iterdir():
        if folder.name != "units":
            (fleet.folder / "templates" / folder.name).symlink_to(folder)
    for file in (REPOSITORY / "templates" / "units").iterdir():
        (fleet.folder / "templates" / "units" / file.name).symlink_to(file)
    (fleet.folder / "templates" / "units" / "stubborn.service.j2").write_text(STUBBORN)
    with Lab.up(two_hosts, name=name, known_hosts=fleet.known_hosts, disk_bytes=1 << 30) as lab:
        here = Served(fleet, lab)
        fleet.declare(machines_of(lab))
        for word in ("secrets.init", "bootstrap", "apply"):
            done = fleet.hostmuster(word)
            assert done.exit == 0, done.output + done.errors
        yield here


def ends(done: Finished, unit: str) -> dict[str, tuple[int | None, int | None, int | None]]:
    """By host: drained, stopped, killed."""
    assert done.exit == 0, done.errors
    return {e["host"]: (e["drained"], e["stopped"], e["killed"]) for e in done.document["ended"] if e["unit"] == unit}


def test_a_request_within_the_drain_is_drained(served: Served) -> None:
    served.workload["drain_s"] = DRAIN_S + 1
    with served.busy(2):
        done = served.applied()
    for drained, stopped, killed in ends(done, "workload.service").values():
        assert drained
        assert (stopped, killed) == (0, 0)
    assert re.search(r"workload.service restarted: \d drained, 0 stopped, 0 killed", done.errors)


def test_one_that_outlasts_it_is_shown_before_and_told_as_stopped(served: Served) -> None:
    served.workload["drain_s"] = DRAIN_S
    with served.busy(100):
        seen = served.applied("check")
        assert seen.exit == 2
        for host in HOSTS:
            (will,) = seen.item(host, "units")["will"]
            assert re.match(r"restart workload.service, which runs \d \(GET /work, \d+ s", will)
        done = served.applied()
    for _, stopped, killed in ends(done, "workload.service").values():
        assert stopped
        assert killed == 0
    assert re.search(r"will restart workload.service, which runs \d \(GET /work, ", done.errors)


def test_a_process_that_takes_no_notice_is_killed_and_never_called_drained(served: Served) -> None:
    served.stubborn["values"] = {"every_s": 2}
    done = served.applied()
    assert ends(done, "stubborn.service") == dict.fromkeys(HOSTS, (None, None, 1))
    assert "stubborn.service restarted: 1 killed (a run without end)" in done.errors


def test_a_restart_while_nothing_runs_ends_nothing(served: Served) -> None:
    served.workload["drain_s"] = DRAIN_S + 1
    assert ends(served.applied(), "workload.service") == dict.fromkeys(HOSTS, (0, 0, 0))
