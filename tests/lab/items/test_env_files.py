"""Environment files on real hosts: the readers' own parsers, restarts, and the running process."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from hostmuster.env.file import refusals, render
from tests.lab.items.site import Site
from tests.lab.pair import HOSTS, NEW, OLD
from tests.unit.env.test_round_trip import ODD, TEXT


def test_a_changed_variable_restarts_the_workload_once_on_one_host_after_the_other(site: Site) -> None:
    site.declare()
    site.apply()
    starts = {host: site.starts(host) for host in HOSTS}
    site.declare(env_files=site.log_level("debug"))
    checked = site.fleet.run("check")
    assert checked.exit == 2
    assert {host: site.starts(host) for host in HOSTS} == starts
    site.apply()
    assert {host: site.starts(host) - starts[host] for host in HOSTS} == {OLD: 1, NEW: 1}
    times = sorted(_stopped_and_started(site, host) for host in HOSTS)
    assert times[0][1] < times[1][0], "the second host stopped before the first served again"
    for host in HOSTS:
        environment = site.shell(host, 'tr "\\0" "\\n" </proc/$(systemctl show -p MainPID --value workload)/environ')
        assert "LOG_LEVEL=debug" in environment.splitlines()
    site.apply()
    assert {host: site.starts(host) - starts[host] for host in HOSTS} == {OLD: 1, NEW: 1}


def test_the_process_is_asked_not_the_file(site: Site) -> None:
    site.declare()
    site.apply()
    site.shell(
        OLD,
        "f=/etc/workload/service.env; cp -p $f /run/kept && sed -i s/info/stale/ $f && systemctl restart workload && "
        "cp -p /run/kept $f",
    )
    assert site.fleet.run("check").exit == 0
    done = site.fleet.run("verify")
    assert done.exit == 1
    broken = [one for one in done.item(OLD, "env_files")["effects"] if not one["ok"]]
    assert [one["seen"] for one in broken] == ["another value or none: LOG_LEVEL"]
    assert set(done.statuses(NEW).values()) == {"ok"}
    site.shell(OLD, "systemctl restart workload")
    assert site.fleet.run("verify").exit == 0


@pytest.mark.parametrize("host", HOSTS)
def test_systemd_itself_reads_every_odd_value_as_it_was_declared(site: Site, host: str) -> None:
    assert site.lab.run(host, "cat >/run/odd.env", stdin=render("systemd", ODD)).ok
    unit = "systemd-run --quiet --pipe --wait -p EnvironmentFile=/run/odd.env"
    found = site.shell(host, f"{unit} env -0 | base64 -w0")
    assert _variables(found) | TEXT == _variables(found)


def test_docker_itself_reads_every_value_it_can_carry_as_it_was_declared(site: Site) -> None:
    values = {name: value for name, value in ODD.items() if not list(refusals("docker", {name: value}))}
    assert set(ODD) - set(values) == {"PEM", "CARRIAGE"}
    site.shell(NEW, "DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends docker-cli")
    engine = Path(__file__).with_name("fake_docker_engine.py").read_bytes()
    assert site.lab.run(NEW, "cat >/run/engine.py", stdin=engine).ok
    assert site.lab.run(NEW, "cat >/run/odd.env", stdin=render("docker", values)).ok
    site.shell(NEW, "systemd-run --quiet --unit=fake-engine python3 /run/engine.py /run/engine.sock /run/asked.json")
    site.shell(NEW, "until [ -S /run/engine.sock ]; do sleep 0.1; done")
    site.shell(NEW, "docker -H unix:///run/engine.sock create --env-file /run/odd.env img:1")
    asked = json.loads(site.shell(NEW, "systemctl stop fake-engine; cat /run/asked.json"))
    got = dict(line.split("=", 1) for line in asked["Env"])
    assert got == {name: TEXT[name] for name in values}


def _stopped_and_started(site: Site, host: str) -> tuple[int, int]:
    properties = "InactiveEnterTimestampMonotonic", "ActiveEnterTimestampMonotonic"
    stopped, started = (
        int(site.shell(host, f"systemctl show -p {name} --value workload").strip()) for name in properties
    )
    return stopped, started


def _variables(encoded: str) -> dict[str, str]:
    pairs = (part.partition(b"=") for part in base64.b64decode(encoded).split(b"\0") if part)
    return {name.decode(): value.decode() for name, _, value in pairs}
