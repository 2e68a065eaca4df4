"""Units on real hosts: the program that runs, timers, and what the host's own systemd refuses."""

from __future__ import annotations

from pathlib import Path

from tests.lab.items.site import Site
from tests.lab.pair import HOSTS, NEW, OLD


def test_a_program_that_is_not_the_one_on_the_disk_is_named(site: Site) -> None:
    site.declare()
    site.apply()
    one = "/opt/workload/settings.py"
    ready = f"curl -fs http://{site.lab.hosts[NEW].machine.address}:8080/health/ready"
    site.shell(
        NEW,
        f"cp -p {one} /run/kept && echo '# other' >>{one} && systemctl restart workload && "
        f"until {ready}; do sleep 0.1; done && cp -p /run/kept {one}",
    )
    assert site.fleet.run("check").exit == 0
    done = site.fleet.run("verify")
    assert done.exit == 1
    assert "/internal/identity tells this replica and program" in done.item(NEW, "units")["reason"]
    site.shell(NEW, "systemctl restart workload")
    assert site.fleet.run("verify").exit == 0


def test_a_mode_put_right_restarts_nothing(site: Site) -> None:
    site.declare()
    site.apply()
    starts = site.starts(OLD)
    site.shell(OLD, "chmod 0600 /opt/workload/settings.py && chmod 0644 /etc/workload/service.env")
    done = site.apply()
    assert (done.statuses(OLD)["units"], done.statuses(OLD)["env_files"]) == ("changed", "changed")
    assert site.starts(OLD) == starts


def test_a_unit_the_hosts_own_systemd_refuses_is_not_switched(site: Site, own_units: Path) -> None:
    (own_units / "job.j2").write_text("[Unit]\nRequires=nope.service\n[Service]\nExecStart=/opt/not/there\n")
    site.declare(units={"declared": {"job.service": {"template": "job.j2"}}})
    done = site.fleet.run("apply")
    assert done.exit == 1
    assert "/opt/not/there is not executable" in done.item(OLD, "units")["reason"]
    assert not site.lab.run(OLD, "[ -e /etc/systemd/system/job.service ]").ok
    site.declare()
    assert site.apply().statuses(OLD)["units"] == "ok"


def test_a_timer_takes_its_new_time_and_does_not_fire_for_it(site: Site, own_units: Path) -> None:
    service = "[Unit]\nDescription=A job\n[Service]\nType=oneshot\nExecStart=/bin/sh -c 'echo x >>/run/job-ran'\n"
    (own_units / "job.service.j2").write_text(service)
    (own_units / "job.timer.j2").write_text("[Timer]\nOnCalendar={{ at }}\n[Install]\nWantedBy=timers.target\n")
    for at in ("yearly", "gone by"):
        # A time between the timer's start and its change: systemd would make up for it at once.
        at = site.shell(OLD, "sleep 1.1; date -u '+*-*-* %H:%M:%S UTC'").strip() if at == "gone by" else at
        timer = {"template": "job.timer.j2", "values": {"at": at}}
        job = {"template": "job.service.j2", "enabled": False, "active": False}
        site.declare(units={"declared": {"job.service": job, "job.timer": timer}})
        site.apply()
        for host in HOSTS:
            assert at.replace("yearly", "*-01-01") in site.shell(host, "systemctl show -p TimersCalendar job.timer")
    assert set(site.apply().statuses(NEW).values()) == {"ok"}
    for host in HOSTS:
        assert not site.lab.run(host, "[ -e /run/job-ran ]").ok
        assert site.shell(host, "systemctl is-active job.timer; systemctl is-enabled job.timer") == "active\nenabled\n"
    (own_units / "job.timer.j2").write_text("[Timer]\nOnCalendar=dayly\n")
    done = site.fleet.hostmuster("apply")
    assert done.exit == 3
    assert "Failed to parse calendar specification" in done.output + done.errors
    for host in HOSTS:
        site.shell(host, "systemctl disable --now job.timer && rm /etc/systemd/system/job.*")
