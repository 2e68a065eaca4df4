"""A clock that is off is named with its offset, by what each NTP client says in its own words."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.unit.monitor.monitored import Monitored


@dataclass(frozen=True)
class Clock:
    """What chronyc says, in its own words, and what is made of it."""

    tracking: str
    status: str
    seen: str


CLOCKS = {
    "follows": Clock(
        "0AD50001,10.213.0.1,6,1795984624.682,-0.000005540,-0.000000048,0.0,0.0,-0.0,0.07,0.00001,0.00002,2.0,Normal",
        "ok",
        "0.000006 s off 10.213.0.1",
    ),
    "skewed": Clock(
        "0AD50001,10.213.0.1,6,1795984624.682,0.000000000,-4.999996000,0.0,0.0,-0.0,0.07,0.00001,0.00002,2.0,Normal",
        "failed",
        "4.999996 s off 10.213.0.1, limit 0.1 s",
    ),
    "another server": Clock(
        "C0000209,192.0.2.9,6,1795984624.682,0.000001,0.000001,0.0,0.0,-0.0,0.07,0.00001,0.00002,2.0,Normal",
        "failed",
        "follows 192.0.2.9, which is not declared",
    ),
    "no server": Clock(
        "00000000,,0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,1.0,1.0,0.0,Not synchronised",
        "failed",
        "not synchronised: no server answers",
    ),
    "itself": Clock(
        "7F7F0101,,10,1795984624.682,0.0,0.0,0.0,0.0,0.0,0.0,1.0,1.0,0.0,Normal",
        "failed",
        "not synchronised: no server answers",
    ),
    "does not run": Clock("506 Cannot talk to daemon", "failed", "not synchronised: no server answers"),
}


@pytest.mark.parametrize("case", CLOCKS)
def test_a_clock_that_is_off_is_named_with_its_offset(monitored: Monitored, case: str) -> None:
    clock = CLOCKS[case]
    monitored.program("chronyc", f"echo '{clock.tracking}'\n")
    said = monitored.piece("servers='10.213.0.1 10.213.0.2' most=0.1; follow chrony")
    assert said == f"check\t{clock.status}\tclock\t\t{clock.seen}\n"


def test_timesyncd_tells_its_offset_in_words(monitored: Monitored) -> None:
    told = "       Server: 10.213.0.1 (10.213.0.1)\nPoll interval: 32s (min: 32s)\n       Offset: -1min 2.5s\n"
    monitored.program("timedatectl", f"cat <<'E'\n{told}E\n")
    said = monitored.piece("servers= most=0.1; follow systemd-timesyncd")
    assert said.endswith("\t62.500000 s off 10.213.0.1, limit 0.1 s\n")


def test_two_ntp_clients_are_seen_by_their_processes(monitored: Monitored, tmp_path: Path) -> None:
    for name in ("chronyd", "ntpd"):
        (tmp_path / name).symlink_to("/bin/sleep")
    inside = f"{tmp_path}/chronyd 5 & {tmp_path}/ntpd 5 & sleep 0.3; dash -s; kill $(jobs -p)"
    script = monitored.script_for("check_clock chrony 0.1")
    done = subprocess.run(
        ["unshare", "--pid", "--fork", "--mount-proc", "bash", "-c", inside],
        input=script,
        capture_output=True,
        text=True,
    )
    assert done.stdout.startswith("check\tfailed\tclock\t\t")
    assert done.stdout.endswith("run at once\n")
    assert done.stdout.count(",") == 1
