"""Hosts that check themselves: each thing that breaks is told once, and the webhook's address to nobody."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.lab.failures.typing_operator import holds
from tests.lab.failures.watcher import Watcher
from tests.lab.monitor.watched import PROXIED, TOKEN, Watched

ONE = "server-1"
BOTH = (ONE, PROXIED)
APP = "unit app.service"


def test_a_stopped_unit_is_told_once_and_its_return_once_and_the_address_is_seen_nowhere(watched: Watched) -> None:
    watcher = Watcher([TOKEN])
    watcher.start()
    for host in BOTH:
        watched.shell(host, "systemctl stop app")
    watched.until_told("broke", of=APP, hosts=BOTH)
    for host in BOTH:
        watched.shell(host, "systemctl start app")
    watched.until_told("broke", "recovered", of=APP, hosts=BOTH)
    assert {one["host"]: "tinyproxy" in (one["via"] or "") for one in watched.receiver.alerts} == {
        ONE: False,
        PROXIED: True,
    }
    watched.fleet.run("check")
    assert watcher.stop() == set()
    assert {path.rpartition("example.net")[2].lstrip(":0123456789") for path in watched.receiver.paths} == {
        f"/hook/{TOKEN}"
    }
    for host in BOTH:
        places = "/etc /tmp /run /root /var/lib /var/tmp"
        found = watched.lab.run(host, f"grep -rlF -e {TOKEN} {places}; journalctl -q | grep -F -e {TOKEN}")
        assert found.stdout == "/etc/hostmuster/monitor/url\n", f"{host}: {found.stdout}"
    assert holds(watched.fleet.folder / "reports", TOKEN) == []


def test_a_receiver_that_is_down_gets_the_alert_later_and_once(watched: Watched) -> None:
    watched.receiver.down()
    watched.shell(ONE, "systemctl stop app")
    watched.until(lambda: '"alerts_waiting":1' in watched.told(ONE))
    watched.receiver.up()
    watched.until_told("broke", of=APP, hosts=(ONE,))
    watched.shell(ONE, "systemctl start app")


def test_each_thing_that_goes_wrong_on_a_host_is_named(watched: Watched, _mended: None) -> None:
    watched.certificate(days=3)
    watched.shell(ONE, "cp /bin/sleep /root/ntpd && systemd-run --quiet --unit=other-ntp /root/ntpd infinity")
    watched.shell(ONE, "touch -d '3 days ago' /srv/backup-done; cat /dev/zero >/srv/fill; true")
    watched.until(lambda: watched.told(ONE).count('"status":"failed"') == 4)
    failed = watched.fleet.run("status").document["hosts"][ONE]["checks"]["failed"]
    assert failed == {
        "certificate /etc/ssl/app.pem": "/etc/ssl/app.pem expires in 2 days, limit 14 days",
        "clock": "chrony, other-ntp run at once",
        "backup db": "the last one is 3 days old, limit 24 h",
        "disk /": "100% used, limit 90%",
    }
    # Full to the last byte, and told all the same.
    watched.until_told("broke", of="disk /", hosts=(ONE,))
    watched.shell(ONE, "rm /srv/fill")
    watched.until(lambda: bool(watched.events(ONE, "disk /")[1:]))
    read = text_string_to_metric_families(watched.shell(ONE, "cat /var/lib/textfile/hostmuster.prom"))
    samples = {sample.labels["check"]: sample.value for one in read for sample in one.samples if "_ok" in sample.name}
    assert {name for name, value in samples.items() if value == 0} == set(failed) - {"disk /"}


@pytest.fixture
def _mended(watched: Watched) -> Iterator[None]:
    yield
    watched.lab.run(ONE, "rm -f /srv/fill; touch /srv/backup-done; systemctl stop other-ntp")
    watched.certificate(days=30)


def test_a_frozen_host_is_quiet_and_tells_once_it_is_thawed(watched: Watched) -> None:
    assert watched.fleet.run("freeze", ONE, "--reason", "a new disk").exit == 0
    watched.shell(ONE, "systemctl stop app")
    watched.until(lambda: '"quiet":"this host is frozen"' in watched.told(ONE))
    assert watched.events(ONE, APP) == []
    assert "(no alert: this host is frozen)" in watched.shell(ONE, "journalctl -q -o cat -u hostmuster-monitor")
    assert watched.fleet.run("thaw", ONE).exit == 0
    watched.until_told("broke", of=APP, hosts=(ONE,))
    watched.shell(ONE, "systemctl start app")


def test_verify_sees_that_the_checks_do_not_run_and_an_apply_mends_it(watched: Watched) -> None:
    deep = watched.fleet.run("verify", "--deep")
    assert {host: deep.item(host, "monitor")["status"] for host in BOTH} == dict.fromkeys(BOTH, "ok")
    watched.shell(ONE, "systemctl stop hostmuster-monitor.timer")
    found = watched.fleet.run("check").item(ONE, "monitor")["differences"]
    assert found == ["unit hostmuster-monitor.timer: state is inactive, declared active"]
    assert watched.fleet.run("apply").statuses(ONE)["monitor"] == "changed"
    # Runs without news leave nothing in the journal, systemd's own words included.
    lines = watched.shell(ONE, "journalctl -q -b -o cat -u hostmuster-monitor").splitlines()
    assert not [line for line in lines if line.startswith(("Start", "Finish")) or "Deactivated" in line]
