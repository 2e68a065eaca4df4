"""Each check of the monitor, on what it really asks or on what its program answers."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.receiver import Receiver
from tests.unit.monitor.monitored import Monitored

DAY_S = 86400


def unit(active: str, sub: str, *, load: str = "loaded", result: str = "success", restarts: int = 0) -> str:
    """What `systemctl show` says of a unit."""
    return f"LoadState={load}\nActiveState={active}\nSubState={sub}\nResult={result}\nNRestarts={restarts}\n"


UNITS = {
    "runs": (unit("active", "running"), "ok", "is active"),
    "reloads": (unit("reloading", "reload"), "ok", "is active"),
    "stopped": (unit("inactive", "dead"), "failed", "is inactive"),
    "died": (unit("failed", "failed", result="exit-code"), "failed", "is failed (exit-code)"),
    "about to be restarted": (
        unit("activating", "auto-restart", result="signal"),
        "failed",
        "ended (signal) and waits to be restarted",
    ),
    "unknown": (unit("inactive", "dead", load="not-found"), "failed", "is not-found"),
    "no answer": ("", "failed", "systemctl says nothing of it"),
}


@pytest.mark.parametrize("case", UNITS)
def test_a_unit_that_does_not_serve_is_named_with_why(monitored: Monitored, case: str) -> None:
    answer, status, seen = UNITS[case]
    monitored.program("systemctl", f"cat <<'E'\n{answer}E\n")
    assert monitored.check("unit app.service") == (status, seen)


def test_several_units_are_one_question_each_with_its_own_answer(monitored: Monitored) -> None:
    monitored.program("systemctl", f"cat <<'E'\n{unit('active', 'running')}\n{unit('failed', 'failed')}E\n")
    found = {one["name"]: one["status"] for one in monitored.run("unit a.service", "unit b.service")["checks"]}
    assert found == {"unit a.service": "ok", "unit b.service": "failed"}


def test_a_unit_that_is_restarted_again_and_again_is_named_while_it_is_active(monitored: Monitored) -> None:
    seen = []
    for restarts in (7, 8, 10, 10, 10):
        monitored.program("systemctl", f"cat <<'E'\n{unit('active', 'running', restarts=restarts)}E\n")
        seen.append(monitored.check("unit app.service", after=250))
    assert seen == [
        ("ok", "is active"),
        ("ok", "is active"),
        ("failed", "was restarted 3 times within 10 min"),
        ("ok", "is active"),
        ("ok", "is active"),
    ]


def test_a_full_disk_and_one_that_is_not_mounted_are_named(monitored: Monitored) -> None:
    df = subprocess.run(["df", "--output=pcent", "/"], check=True, capture_output=True, text=True)
    used = int(df.stdout.split()[1].removesuffix("%"))
    assert monitored.check(f"disk / {used} 100") == ("failed", f"{used}% used, limit {used}%")
    assert monitored.check("disk / 100 1")[1].endswith("% of inodes used, limit 1%")
    assert monitored.check("disk / 100 100")[0] == "ok"
    assert monitored.check("disk /not/mounted 90 90") == ("failed", "is not mounted")


def test_a_backup_is_as_old_as_its_marker(monitored: Monitored, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    assert monitored.check(f"backup db {marker} 90000") == ("failed", f"none yet: {marker} is not there")
    ages = {3600: "ok", 90000: "ok", 90060: "failed", -200: "ok", -9000: "failed"}
    for age, status in ages.items():
        marker.touch()
        os.utime(marker, (monitored.now, monitored.now - age))
        assert monitored.check(f"backup db {marker} 90000", after=0)[0] == status, age
    os.utime(marker, (monitored.now, monitored.now - 200000))
    assert monitored.check(f"backup db {marker} 90000", after=0) == ("failed", "the last one is 2 days old, limit 25 h")


def test_a_certificate_is_named_before_it_expires(monitored: Monitored, tmp_path: Path) -> None:
    pem, key, days = tmp_path / "a.pem", tmp_path / "key", 3
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    subprocess.run(
        [*made, "-keyout", key, "-out", pem, "-days", str(days), "-subj", "/CN=a"], check=True, capture_output=True
    )
    monitored.now = int(pem.stat().st_mtime)
    assert monitored.check(f"tls {pem} 2") == ("ok", "valid for 2 days")
    assert monitored.check(f"tls {pem} 14") == ("failed", f"{pem} expires in 2 days, limit 14 days")
    assert monitored.check(f"tls {pem} 14", after=days * DAY_S + 7200) == ("failed", f"{pem} expired 2 h ago")
    pem.write_text("not a certificate\n")
    assert monitored.check(f"tls {pem} 14") == ("failed", f"{pem} is no certificate")
    pem.unlink()
    assert monitored.check(f"tls {pem} 14") == ("failed", f"{pem} is not there")


def test_an_ssh_certificate_too(monitored: Monitored, tmp_path: Path) -> None:
    for name in ("ca", "host"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / name], check=True)
    signed = ["ssh-keygen", "-q", "-s", str(tmp_path / "ca"), "-I", "a", "-h", "-n", "a"]
    subprocess.run([*signed, "-V", "-1m:+5d", tmp_path / "host.pub"], check=True)
    path = tmp_path / "host-cert.pub"
    monitored.now = int(path.stat().st_mtime)
    assert monitored.check(f"ssh {path} 2") == ("ok", "valid for 4 days")
    assert monitored.check(f"ssh {path} 14") == ("failed", f"{path} expires in 4 days, limit 14 days")
    subprocess.run([*signed, tmp_path / "host.pub"], check=True)
    assert monitored.check(f"ssh {path} 14") == ("ok", "never expires")


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


@pytest.mark.parametrize(
    ("command", "status", "seen"),
    [
        ("test -d /", "ok", "succeeds"),
        ("echo first; echo it is broken >&2; exit 3", "failed", "it is broken"),
        ("exit 3", "failed", "exit 3"),
        (r"printf 'a\tb\033[31m\n'; false", "failed", "a b?[31m"),
    ],
)
def test_a_command_that_fails_is_shown_by_its_last_line(
    monitored: Monitored, command: str, status: str, seen: str
) -> None:
    assert monitored.check(f"command own {command}") == (status, seen)


def test_a_url_answers_or_is_named_with_why(monitored: Monitored, receiver: Receiver) -> None:
    assert monitored.check(f"url web {receiver.origin}/health") == ("ok", "answers 200")
    receiver.down()
    status, seen = monitored.check(f"url web {receiver.origin}/health")
    assert status == "failed"
    assert "Failed to connect" in seen


# What systemctl and ctr answer of an engine that does not come up, and what its check has seen then.
_SHOW = """case $* in
*LoadState*) echo loaded ;;
*Timestamp*) echo Mon noon ;;
*containerd.service) echo {} ;;
*) echo {} ;;
esac
"""
_PLUGINS = "io.containerd.metadata.v1 bolt - {}"
_TORN = 'failed to load plugin io.containerd.metadata.v1.bolt" error="invalid database"'
ENGINES = {
    "torn": ("active", "failed", "error", "containerd.service is active since noon", "systemctl start docker`"),
    "panics": ("activating", "inactive", "ok", "containerd.service is activating since noon", "mv meta.db"),
    "failed": ("active", "failed", "ok", "docker.service is failed since noon", "`hostmuster apply`; journal: later"),
    "on its way": ("active", "activating", "ok", "docker.service is activating since noon", "restart docker`"),
}


@pytest.mark.parametrize("case", ENGINES)
def test_an_engine_that_does_not_come_up_is_named_with_the_remedy(monitored: Monitored, case: str) -> None:
    containerd, docker, plugin, unit, remedy = ENGINES[case]
    monitored.program("systemctl", _SHOW.format(containerd, docker))
    monitored.program("ctr", f"echo '{_PLUGINS.format(plugin)}'\n")
    monitored.program("journalctl", f"echo '{_TORN}'\necho later\n")
    monitored.program("pidof", "exit 1\n")
    status, seen = monitored.check("engine docker")
    assert status == "failed"
    assert seen.startswith(unit)
    assert remedy in seen


def test_an_engine_that_answers_is_well_and_one_that_hangs_is_not(monitored: Monitored) -> None:
    running(monitored)
    monitored.program("docker", "echo 26.1\n")
    assert monitored.check("engine docker") == ("ok", "answers, version 26.1")
    monitored.program("docker", "exit 1\n")
    status, seen = monitored.check("engine docker")
    assert (status, seen[:34]) == ("failed", "docker.service is active since noo")


def test_a_container_of_an_engine_that_does_not_answer_is_not_asked_for(monitored: Monitored) -> None:
    monitored.program("pidof", "exit 1\n")
    monitored.program("docker", "echo /app running sha256:aa\n")
    assert monitored.check("container app app:1 sha256:aa") == ("failed", "the engine does not answer")


def running(monitored: Monitored) -> None:
    """An engine whose process and unit are there."""
    monitored.program("pidof", "echo 7\n")
    monitored.program("systemctl", _SHOW.format("active", "active"))
    monitored.program("journalctl", "exit 0\n")
    monitored.program("ctr", "exit 0\n")


CONTAINERS = {
    "/app running sha256:aa": ("ok", "runs from the declared image"),
    "/app running sha256:bb": ("failed", "runs from sha256:bb, declared sha256:aa"),
    "/app exited sha256:aa": ("failed", "is exited"),
    "/apple running sha256:aa": ("failed", "is not there"),
    "Error: No such container: app": ("failed", "is not there"),
}
# What docker inspect, info and image inspect answer.
_DOCKER = "case $1 in inspect) echo '{}' ;; info) echo '[[driver-type {}]]' ;; image) echo {} ;; esac\n"


@pytest.mark.parametrize("answer", CONTAINERS)
def test_a_container_runs_from_the_declared_image_or_is_named(monitored: Monitored, answer: str) -> None:
    running(monitored)
    monitored.program("docker", _DOCKER.format(answer, "overlay2", "sha256:bb"))
    assert monitored.check("container app app:1 sha256:aa") == CONTAINERS[answer]


def test_in_containerds_store_an_image_has_another_id(monitored: Monitored) -> None:
    running(monitored)
    answer, store = "/app running sha256:m1", "io.containerd.snapshotter.v1"
    monitored.program("docker", _DOCKER.format(answer, store, "sha256:m1"))
    assert monitored.check("container app app:1 sha256:aa")[0] == "ok"
    monitored.program("docker", _DOCKER.format(answer, store, "sha256:m2"))
    assert monitored.check("container app app:1 sha256:aa")[0] == "failed"
