"""The monitor item: what it checks follows from the other items; what it refuses before any host is touched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deploys.checklist import CHECKLIST
from hostmuster.effects.monitor import neighbour, runs, webhook
from hostmuster.engine.catalogue import Compiled, compile_fleet
from hostmuster.errors import InputError
from hostmuster.item import Answer
from hostmuster.model.fleet import load_fleet
from hostmuster.project import Project
from hostmuster.resources.secret_file import SecretFile
from hostmuster.secrets.sealed import Sealed
from hostmuster.secrets.value import Secret
from tests.items.project import PUBLIC, compiled, fleet, resource

ORIGIN = "https://hooks.example.net"
HOOK: dict[str, Any] = {"monitor": {"webhook": {"origin": ORIGIN}}}


def lines(part: Compiled) -> list[str]:
    """What the host's script is told."""
    text: str = resource(part, "file /etc/hostmuster/monitor/checks").content.decode()
    return text.splitlines()


def hooked(folder: Path, settings: dict[str, Any], *, lab: bool = False) -> Compiled:
    """The item on server-1 of a fleet whose store has the webhook's address; nothing reads it."""
    fleet(folder, settings)
    if lab:
        file = folder / "inventory" / "unit.yml"
        file.write_text(file.read_text().replace("lab: false", "lab: true"))

    def unread() -> Secret:
        raise AssertionError("compiling a fleet opens no store")

    secret = Sealed("monitor-webhook", unread, lambda: str(unread()))
    schemas = {module.ITEM.name: module.ITEM.settings for module in CHECKLIST}
    loaded = load_fleet(Project(folder), "unit", schemas, public=PUBLIC, secrets={secret.name: secret})
    (part,) = compile_fleet(loaded, CHECKLIST, only="monitor").hosts["server-1"]
    return part


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


def test_the_address_is_in_a_file_of_its_own_and_only_its_origin_elsewhere(tmp_path: Path) -> None:
    part = hooked(tmp_path, HOOK)
    assert f"webhook {ORIGIN}" in lines(part)
    (file,) = [one for one in part.resources if isinstance(one, SecretFile)]
    assert (file.path, file.secret.name, file.begins) == ("/etc/hostmuster/monitor/url", "monitor-webhook", ORIGIN)


def test_where_a_reader_hands_it_over_apply_writes_no_file_and_removes_the_one_from_before(tmp_path: Path) -> None:
    reader = {"unit": "hostmuster-monitor.service", "files": {"url": "monitor-webhook"}}
    part = hooked(tmp_path, HOOK | {"secrets": {"readers": {"monitor": reader}}})
    assert not [one for one in part.resources if isinstance(one, SecretFile)]
    assert "no /etc/hostmuster/monitor/url" in [one.id for one in part.resources]
    other = {"unit": "other.service", "files": {"url": "monitor-webhook"}}
    part = hooked(tmp_path, HOOK | {"secrets": {"readers": {"monitor": other}}})
    assert [one for one in part.resources if isinstance(one, SecretFile)]


def test_with_egress_it_goes_through_the_proxy(tmp_path: Path) -> None:
    part = hooked(tmp_path, HOOK | {"egress": {"allow": [".example.net"]}})
    assert f"webhook {ORIGIN} http://127.0.0.1:8888" in lines(part)


def test_optional_it_is_left_out_where_the_store_has_none(tmp_path: Path) -> None:
    part = compiled(tmp_path, "monitor", {"monitor": {"webhook": {"origin": ORIGIN, "optional": True}}})
    assert not [line for line in lines(part) if line.startswith("webhook")]


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


def test_a_webhook_that_the_allowlist_does_not_have_does_not_compile(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"hooks\.example\.net is not on the egress allowlist of server-1"):
        hooked(tmp_path, HOOK | {"egress": {"allow": ["api.example.net"]}})
    other = {"monitor": {"webhook": {"origin": f"{ORIGIN}:8443"}}, "egress": {"allow": [".example.net"]}}
    with pytest.raises(InputError, match="port 8443 is not among the egress ports of server-1"):
        hooked(tmp_path, other)


def test_an_address_goes_in_clear_in_a_lab_only(tmp_path: Path) -> None:
    clear = {"monitor": {"webhook": {"origin": "http://hooks.example.net:8787"}}}
    with pytest.raises(InputError, match="would send it in clear"):
        hooked(tmp_path, clear)
    assert "webhook http://hooks.example.net:8787" in lines(hooked(tmp_path, clear, lab=True))


RAN = {
    'active\nsuccess\n1900000070\n{...,"at":1900000000,"run":7,...}': (True, "run 7 began 70 s ago"),
    'active\nsuccess\n1900000080\n{...,"at":1900000000,"run":7,...}': (False, "run 7 began 80 s ago"),
    'inactive\nsuccess\n1900000070\n{...,"at":1900000000,"run":7,...}': (False, "the.timer is inactive"),
    "active\nexit-code\n1900000070\n": (False, "the last run of the.service ended with exit-code"),
    "active\nsuccess\n1900000070\nhead: cannot open": (False, "it has told nothing yet: head: cannot open"),
    "": (False, "the.timer is not there"),
}


@pytest.mark.parametrize("answer", RAN)
def test_checks_that_do_not_run_are_seen(answer: str) -> None:
    seen = runs("the.timer", "the.service", "/x/status.json", 75).judge(Answer(0, answer))
    assert (seen.ok, seen.seen.partition(": journalctl")[0]) == RAN[answer]


def test_a_webhook_is_reached_when_anything_answers_there() -> None:
    assert webhook(ORIGIN, None).judge(Answer(0, "405")).ok
    assert not webhook(ORIGIN, None).judge(Answer(7, "000")).ok
    assert not webhook(ORIGIN, "http://127.0.0.1:8888").judge(Answer(0, "403")).ok
    assert webhook(ORIGIN, "http://127.0.0.1:8888").judge(Answer(0, "204")).ok


def test_a_neighbour_that_cannot_be_read_is_named() -> None:
    effect = neighbour("worker-1", "service", "/x/status.json")
    assert (effect.cost, effect.peer) == ("deep", "worker-1")
    assert effect.judge(Answer(0, '{"version":1,"at":1900000000,"run":7,')).ok
    assert effect.judge(Answer(255, "ssh: No route to host")).seen == "worker-1 cannot be read: ssh: No route to host"
