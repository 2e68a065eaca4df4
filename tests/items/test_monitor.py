"""The monitor item: what it checks follows from the other items; what it refuses before any host is touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from deploys.checklist import CHECKLIST
from hostmuster.engine.catalogue import compile_fleet
from hostmuster.errors import InputError
from tests.items.monitored import HOOK, ORIGIN, lines
from tests.items.project import compiled, fleet, resource


def test_only_a_fleet_that_declares_it_gets_it(tmp_path: Path) -> None:
    assert compile_fleet(fleet(tmp_path, {}), CHECKLIST, only="monitor").hosts["server-1"] == ()


def test_units_readiness_clock_and_certificates_follow_from_the_other_items(tmp_path: Path) -> None:
    workload = {"port": 8080, "drain_s": 5, "stop_s": 10}
    part = compiled(tmp_path, "monitor", {"monitor": {"expiry_days": 30}, "units": {"workload": workload}})
    told = lines(part)
    ready = "curl -fsS -o /dev/null -m 3 http://192.0.2.11:8080/health/ready"
    assert {
        "unit chrony.service",
        "unit workload.service",
        f"ready workload.service {ready}",
        "clock chrony 0.100000 192.0.2.1",
        "ssh /etc/ssh/hostmuster/ssh_host_ed25519_key-cert.pub 30",
        "ssh /etc/ssh/hostmuster/identity/id_ed25519-cert.pub 30",
        "disk / 90 90",
    } <= set(told)


def test_where_images_are_declared_their_engine_must_answer(tmp_path: Path) -> None:
    assert "engine docker" in lines(
        compiled(tmp_path, "monitor", {"monitor": {"patience": 2}, "images": {"declared": {}}})
    )
    assert not [line for line in lines(compiled(tmp_path, "monitor", {"monitor": {"patience": 2}})) if "engine" in line]


def test_a_client_that_was_found_is_not_named(tmp_path: Path) -> None:
    settings = {"monitor": {"patience": 2}, "clock": {"client": "found", "servers": ["192.0.2.1"]}}
    assert "clock - 0.100000" in lines(compiled(tmp_path, "monitor", settings))


def test_what_the_fleet_file_adds_is_there_too(tmp_path: Path) -> None:
    own = {
        "interval_s": 10,
        "remind_hours": 0.5,
        "disks": {"/": {"space": 80}, "/srv": {}},
        "urls": {"api": "http://127.0.0.1:8080/health"},
        "commands": {"socket": "test -S /run/app.sock"},
        "tls": ["/etc/ssl/app.pem"],
        "backups": {"db": {"marker": "/srv/backup/done", "most_hours": 25, "rpo_hours": 26}},
        "textfile": "/var/lib/textfile/hostmuster.prom",
        "peers": {"every_s": 30, "silent_s": 90},
    }
    part = compiled(tmp_path, "monitor", {"monitor": own})
    assert {
        "interval 10",
        "remind 1800",
        "disk / 80 90",
        "disk /srv 90 90",
        "url api http://127.0.0.1:8080/health",
        "command socket test -S /run/app.sock",
        "tls /etc/ssl/app.pem 14",
        "backup db /srv/backup/done 90000",
        "textfile /var/lib/textfile/hostmuster.prom",
        "peers 30 90 2",
        "before worker-1",
        "peer worker-1",
    } <= set(lines(part))
    assert "package openssl" in [one.id for one in part.resources]
    timer = resource(part, "file /etc/systemd/system/hostmuster-monitor.timer").content.decode()
    assert "OnUnitInactiveSec=10s\nAccuracySec=100ms\n" in timer


def test_the_ring_is_of_those_hosts_that_declare_it(tmp_path: Path) -> None:
    part = compiled(tmp_path, "monitor", {}, server_1={"monitor": {"interval_s": 60}})
    assert not [line for line in lines(part) if line.startswith("peer")]
    assert not [effect for effect in part.effects if effect.peer]


REFUSED = {
    "the store has none": (HOOK, "the store has no opaque secret monitor-webhook", "secrets.set monitor-webhook"),
    "a pause between neighbours that no run meets": (
        {"monitor": {"interval_s": 50}},
        "peers.every_s 60 is no multiple of interval_s 50",
        "CPU time",
    ),
    "silence sooner than a second question": (
        {"monitor": {"peers": {"every_s": 60, "silent_s": 90}}},
        "peers.silent_s 90 is below twice every_s 60",
        "one lost answer",
    ),
    "fewer backups than what may be lost needs": (
        {"monitor": {"backups": {"db": {"marker": "/srv/x", "most_hours": 25, "rpo_hours": 1}}}},
        "a backup up to 25 h old loses more than the 1 h of rpo_hours",
        "back up more often",
    ),
    "an origin with a path": (
        {"monitor": {"webhook": {"origin": f"{ORIGIN}/T0ken"}}},
        "is not scheme and host alone",
        "https://hooks.example.net",
    ),
    "a port that there is not": (
        {"monitor": {"webhook": {"origin": f"{ORIGIN}:70000"}}},
        "is not scheme and host alone",
        "https://hooks.example.net",
    ),
    "a password in a URL": (
        {"monitor": {"urls": {"api": "https://ada:pw@example.net/"}}},
        "a URL with credentials is a secret",
        "command lines",
    ),
    "a command of two lines": ({"monitor": {"commands": {"x": "true\nfalse"}}}, "a command of several lines", "script"),
    "a mount that is none": ({"monitor": {"disks": {"srv": {}}}}, "`srv` is no mount", "findmnt"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_what_to_write_instead(tmp_path: Path, case: str) -> None:
    settings, what, remedy = REFUSED[case]
    with pytest.raises(InputError) as caught:
        compiled(tmp_path, "monitor", settings)
    assert "unit.yml:" in str(caught.value)
    assert what in str(caught.value)
    assert remedy in str(caught.value)
