"""The whole checklist on Debian 12 and 13: made, made again, drifted by hand, mended, or named why not."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from hostmuster.env.file import refusals, render
from hostmuster.lab.lab import Lab
from hostmuster.lab.machine import Machine
from hostmuster.lab.subnet import Subnet
from tests.lab.drifts import MENDED, NAMED
from tests.lab.fleet_on_lab import REPOSITORY, Finished, FleetOnLab, machines_of
from tests.unit.env.test_round_trip import ODD, TEXT

OLD, NEW = "server-1", "worker-1"
HOSTS = (OLD, NEW)
GIB = 1 << 30


def two_hosts(net: Subnet) -> list[Machine]:
    """One of each Debian."""
    return [Machine(OLD, net.at(11), 12, ("server",)), Machine(NEW, net.at(12), 13, ("worker",))]


@dataclass(frozen=True)
class Site:
    """Two hosts as the repository's own lab declares them."""

    fleet: FleetOnLab
    lab: Lab

    def shell(self, host: str, command: str) -> str:
        """Root's shell there; it has to succeed."""
        done = self.lab.run(host, command)
        assert done.ok, f"{host}: {command}\n{done.stdout}{done.stderr}"
        return str(done.stdout)

    def declare(self, **settings: Any) -> None:
        """The repository's settings with the lab's addresses; `settings` are laid over them, item by item."""
        prefix = self.lab.subnet.bridge.removesuffix("1")
        text = (REPOSITORY / "inventory" / "lab.yml").read_text().replace("10.213.0.", prefix)
        own = yaml.safe_load(text)["settings"]
        own["clock"]["deadline_s"] = 20
        own["units"]["workload"]["ready_s"] = 10
        self.fleet.settings = {item: own.get(item, {}) | settings.get(item, {}) for item in {*own, *settings}}
        self.fleet.declare(machines_of(self.lab))

    def apply(self) -> Finished:
        """An apply that has to succeed."""
        done = self.fleet.run("apply")
        assert done.exit == 0, done.errors
        return done

    def log_level(self, level: str) -> dict[str, Any]:
        """The env_files settings with another value of one variable."""
        files = self.fleet.settings["env_files"]["files"]
        service = files["service"] | {"values": files["service"]["values"] | {"LOG_LEVEL": level}}
        return {"files": files | {"service": service}}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Two hosts, bare at first, brought to the checklist once."""
    name = f"test-{os.getpid()}-items"
    fleet = FleetOnLab(tmp_path_factory.mktemp("items") / "project", name)
    with Lab.up(two_hosts, name=name, known_hosts=fleet.known_hosts, disk_bytes=GIB) as lab:
        here = Site(fleet, lab)
        here.declare()
        for words in (["secrets.init"], ["bootstrap"], ["apply"]):
            done = fleet.hostmuster(*words)
            assert done.exit == 0, f"{words}: {done.output}{done.errors}"
        yield here


@pytest.fixture(scope="module")
def drifted(site: Site) -> Iterator[tuple[Finished, Finished, Finished]]:
    """Every drift put in by hand on both hosts, then a check, an apply and a check."""
    site.declare()
    site.apply()
    for host in HOSTS:
        for drift in MENDED.values():
            site.shell(host, drift.by_hand)
    yield site.fleet.run("check"), site.fleet.run("apply"), site.fleet.run("check")


def test_the_second_apply_changes_nothing_and_says_so(site: Site) -> None:
    done = site.apply()
    for host in HOSTS:
        assert set(done.statuses(host).values()) == {"ok"}
        assert list(done.statuses(host)) == ["access", "clock", "workspace", "env_files", "units"]
        assert done.document["execs"][host] <= 2
    assert "0 changed" in done.errors


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("case", MENDED)
def test_drift_is_found_and_mended(
    drifted: tuple[Finished, Finished, Finished], site: Site, case: str, host: str
) -> None:
    check, apply, again = drifted
    drift = MENDED[case]
    assert check.exit == 2
    assert any(drift.seen in said for said in check.item(host, drift.item)["differences"])
    assert apply.exit == 0, apply.errors
    assert apply.item(host, drift.item)["status"] == "changed"
    assert again.exit == 0, again.errors
    site.shell(host, drift.mended)


@pytest.mark.parametrize("case", NAMED)
def test_what_cannot_be_mended_is_named_and_the_rest_stays_as_it_was(site: Site, case: str) -> None:
    drift = NAMED[case]
    site.declare()
    site.apply()
    site.shell(NEW, drift.by_hand)
    before = site.shell(NEW, "systemctl show -p InvocationID workload chrony")
    done = site.fleet.run("apply")
    assert done.exit == 1
    item = done.item(NEW, drift.item)
    assert item["status"] == "failed"
    assert drift.seen in item["reason"]
    assert set(done.statuses(OLD).values()) == {"ok"}
    assert site.shell(NEW, "systemctl show -p InvocationID workload chrony") == before
    site.shell(NEW, drift.mended)
    assert site.apply().item(NEW, drift.item)["status"] == "changed"


def test_a_changed_variable_restarts_the_workload_once_on_one_host_after_the_other(site: Site) -> None:
    site.declare()
    site.apply()
    starts = {host: _starts(site, host) for host in HOSTS}
    site.declare(env_files=site.log_level("debug"))
    checked = site.fleet.run("check")
    assert checked.exit == 2
    assert {host: _starts(site, host) for host in HOSTS} == starts
    site.apply()
    assert {host: _starts(site, host) - starts[host] for host in HOSTS} == {OLD: 1, NEW: 1}
    times = sorted(_stopped_and_started(site, host) for host in HOSTS)
    assert times[0][1] < times[1][0], "the second host stopped before the first served again"
    for host in HOSTS:
        environment = site.shell(host, 'tr "\\0" "\\n" </proc/$(systemctl show -p MainPID --value workload)/environ')
        assert "LOG_LEVEL=debug" in environment.splitlines()
    site.apply()
    assert {host: _starts(site, host) - starts[host] for host in HOSTS} == {OLD: 1, NEW: 1}


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


def test_a_program_that_is_not_the_one_on_the_disk_is_named(site: Site) -> None:
    site.declare()
    site.apply()
    one = "/opt/workload/settings.py"
    site.shell(
        NEW, f"cp -p {one} /run/kept && echo '# other' >>{one} && systemctl restart workload && cp -p /run/kept {one}"
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
    starts = _starts(site, OLD)
    site.shell(OLD, "chmod 0600 /opt/workload/settings.py && chmod 0644 /etc/workload/service.env")
    done = site.apply()
    assert (done.statuses(OLD)["units"], done.statuses(OLD)["env_files"]) == ("changed", "changed")
    assert _starts(site, OLD) == starts


def test_a_skewed_clock_is_named_with_its_offset(site: Site) -> None:
    site.declare()
    site.apply()
    sources = "/etc/chrony/sources.d/hostmuster.sources"
    site.shell(NEW, f"sed -i 's/$/ offset 5/' {sources} && systemctl restart chrony")
    done = site.fleet.run("verify")
    assert done.exit == 1
    clock = done.item(NEW, "clock")
    assert clock["status"] == "failed"
    assert f"s off {site.lab.subnet.bridge}, bound 0.1 s" in clock["reason"]
    offset = float(clock["reason"].split("synchronised: ")[1].split(" s off")[0])
    assert 4.9 < offset < 5.1
    assert done.item(OLD, "clock")["status"] == "ok"
    assert site.apply().item(NEW, "clock")["status"] == "changed"


def test_a_second_ntp_client_is_named(site: Site) -> None:
    site.shell(OLD, "systemd-run --quiet --unit=ntpsec sleep 600")
    done = site.fleet.run("verify")
    site.shell(OLD, "systemctl stop ntpsec")
    assert done.exit == 1
    assert "chrony, ntpsec run at once" in done.item(OLD, "clock")["reason"]
    assert done.item(NEW, "clock")["status"] == "ok"


def test_a_client_that_a_host_runs_is_accepted_and_left_alone(site: Site) -> None:
    site.declare()
    site.apply()
    before = site.shell(OLD, "systemctl show -p InvocationID chrony")
    site.declare(clock={"client": "found"})
    assert site.apply().statuses(OLD)["clock"] == "ok"
    assert site.shell(OLD, "systemctl show -p InvocationID chrony") == before


def test_timesyncd_is_taken_where_it_is_declared_and_chrony_again_after_it(site: Site) -> None:
    # Debian skips it in a guest that may not set its clock; with this it runs and measures.
    folder = "/etc/systemd/system/systemd-timesyncd.service.d"
    site.shell(NEW, f"mkdir -p {folder} && printf '[Unit]\\nConditionCapability=\\n' >{folder}/lab.conf")
    site.fleet.host_settings = {NEW: {"clock": {"client": "timesyncd", "minpoll": 4}}}
    site.declare()
    done = site.apply()
    seen = {one["name"]: one["seen"] for one in done.item(NEW, "clock")["effects"]}
    assert seen["exactly one NTP client"] == "systemd-timesyncd alone"
    assert seen["the clock is synchronised"].endswith(f" s off {site.lab.subnet.bridge}")
    assert set(site.apply().statuses(NEW).values()) == {"ok"}
    site.fleet.host_settings = {}
    site.declare()
    first, *_ = site.apply().item(NEW, "clock")["effects"]
    assert first["seen"] == "chrony alone"


def test_a_hosts_own_state_is_no_drift(site: Site) -> None:
    site.declare()
    site.apply()
    for host in HOSTS:
        site.shell(host, f"echo '{{\"{host}\": 1}}' >/srv/service/home/host-state.json")
        site.shell(host, "touch /srv/service/repos/somebodys /srv/service/tenants/somebodys")
    assert site.fleet.run("check").exit == 0
    site.apply()
    assert site.shell(NEW, "cat /srv/service/home/host-state.json").strip() == f'{{"{NEW}": 1}}'


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


def test_a_unit_the_hosts_systemd_refuses_is_not_switched(site: Site) -> None:
    templates = site.fleet.folder / "templates"
    templates.unlink()
    templates.mkdir()
    for folder in ("access", "clock", "workspace"):
        (templates / folder).symlink_to(REPOSITORY / "templates" / folder)
    (templates / "units").mkdir()
    shipped = REPOSITORY / "templates" / "units" / "workload.service.j2"
    (templates / "units" / shipped.name).symlink_to(shipped)
    (templates / "units" / "job.j2").write_text("[Unit]\nRequires=nope.service\n[Service]\nExecStart=/opt/not/there\n")
    units = site.fleet.settings["units"]
    site.declare(units=units | {"declared": {"job.service": {"template": "job.j2"}}})
    done = site.fleet.run("apply")
    assert done.exit == 1
    assert "/opt/not/there is not executable" in done.item(OLD, "units")["reason"]
    assert not site.lab.run(OLD, "[ -e /etc/systemd/system/job.service ]").ok
    site.declare()
    assert site.apply().statuses(OLD)["units"] == "ok"


def _starts(site: Site, host: str) -> int:
    return int(site.shell(host, "journalctl -u workload -o cat | grep -c ' listens on '"))


def _stopped_and_started(site: Site, host: str) -> tuple[int, int]:
    properties = "InactiveEnterTimestampMonotonic", "ActiveEnterTimestampMonotonic"
    stopped, started = (
        int(site.shell(host, f"systemctl show -p {name} --value workload").strip()) for name in properties
    )
    return stopped, started


def _variables(encoded: str) -> dict[str, str]:
    pairs = (part.partition(b"=") for part in base64.b64decode(encoded).split(b"\0") if part)
    return {name.decode(): value.decode() for name, _, value in pairs}
