"""The way out on Debian 12 and 13: what passes, what does not, what hands break, and a power loss."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from hostmuster.egress.trial import trial
from hostmuster.lab.lab import Lab
from tests.lab.fleet_on_lab import Finished, FleetOnLab, machines_of
from tests.lab.pair import HOSTS, NEW, OLD, two_hosts

PORT = 3142  # the lab's package mirror, a web server outside the fleet
ALLOWED, ELSE = "api.example.net", "elsewhere.example.net"
EVERY = ("port 8888 listens on 127.0.0.1 only", "the proxy refuses all else", "allowed names pass")


@dataclass(frozen=True)
class Site:
    """Two hosts with a service user, and names for the mirror that need no DNS."""

    fleet: FleetOnLab
    lab: Lab

    def shell(self, host: str, command: str) -> str:
        """Root's shell there; it has to succeed."""
        done = self.lab.run(host, command)
        assert done.ok, f"{host}: {command}\n{done.stdout}{done.stderr}"
        return str(done.stdout)

    def run(self, command: str, *words: str, **changed: Any) -> Finished:
        """A command with the settings as declared, or with others for this once."""
        declared = {"allow": [ALLOWED], "ports": [PORT], "users": ["svc"]}
        self.fleet.settings = {"egress": declared | changed}
        self.fleet.declare(machines_of(self.lab))
        return self.fleet.run(command, *words)

    def apply(self, **changed: Any) -> Finished:
        """An apply that has to succeed."""
        done = self.run("apply", **changed)
        assert done.exit == 0, done.errors
        return done

    def proxied(self, host: str, name: str, port: int = PORT) -> str:
        """What the proxy answers the service user's client."""
        ask = f"exec 3<>/dev/tcp/127.0.0.1/8888; printf 'CONNECT {name}:{port} HTTP/1.1\\r\\n\\r\\n' >&3; head -n 1 <&3"
        return self.shell(host, f'runuser -u svc -- bash -c "{ask}"').strip()

    def direct(self, host: str, user: str, address: str) -> bool:
        """Whether the user gets there without the proxy."""
        ask = f"timeout 3 bash -c 'exec 3<>/dev/tcp/{address}/{PORT}'"
        return self.lab.run(host, f"runuser -u {user} -- {ask} 2>/dev/null").ok

    def process(self, host: str) -> str:
        """Of the proxy: which start it is."""
        return self.shell(host, "systemctl show -p InvocationID --value tinyproxy")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Brought to the item once."""
    name = f"test-{os.getpid()}-egress"
    fleet = FleetOnLab(tmp_path_factory.mktemp("egress") / "project", name)
    fleet.own_checklist("egress")
    with Lab.up(two_hosts, name=name, known_hosts=fleet.known_hosts, disk_bytes=1 << 30) as lab:
        here = Site(fleet, lab)
        for host in HOSTS:
            here.shell(host, f"useradd -m svc; echo '{lab.subnet.bridge} {ALLOWED} {ELSE}' >>/etc/hosts")
        fleet.declare(machines_of(lab))
        for command in ("secrets.init", "bootstrap"):
            done = fleet.hostmuster(command)
            assert done.exit == 0, done.errors
        here.apply()
        yield here


@pytest.mark.parametrize("host", HOSTS)
def test_a_service_user_reaches_allowed_names_through_the_proxy_and_nothing_else(site: Site, host: str) -> None:
    assert " 200 " in site.proxied(host, ALLOWED)
    for name in (ELSE, f"{ALLOWED}.evil.example", f"evil{ALLOWED}", site.lab.subnet.bridge):
        assert site.proxied(host, name).endswith(" 403 Filtered")
    assert site.proxied(host, ALLOWED, 22).endswith(" 403 Access violation")
    assert not site.direct(host, "svc", site.lab.subnet.bridge)
    assert not site.direct(host, "svc", ALLOWED)
    assert site.direct(host, "root", site.lab.subnet.bridge)


def test_verify_sees_that_and_a_second_apply_changes_nothing(site: Site) -> None:
    before = [site.process(host) for host in HOSTS]
    done = site.run("verify", "--deep")
    for host in HOSTS:
        effects = done.item(host, "egress")["effects"]
        assert [one["name"] for one in effects] == [*EVERY, "svc has no way around the proxy"]
        assert all(one["ok"] for one in effects)
    assert set(site.apply().statuses(OLD).values()) == {"ok"}
    assert [site.process(host) for host in HOSTS] == before


@pytest.mark.parametrize("host", HOSTS)
def test_the_packages_own_start_was_no_open_proxy(site: Site, host: str) -> None:
    first, *_ = site.shell(host, "journalctl -u tinyproxy -o cat").splitlines()
    assert "skipped" in first
    assert "ConditionPathExists=/etc/tinyproxy/hostmuster.conf" in first


@pytest.mark.parametrize("signal", ["KILL", "HUP", "TERM"])
def test_a_killed_proxy_comes_back(site: Site, signal: str) -> None:
    before = {host: site.process(host).strip() for host in HOSTS}
    for host in HOSTS:
        site.shell(host, f"kill -{signal} $(systemctl show -p MainPID --value tinyproxy)")
    for host in HOSTS:
        # The one that was killed may listen a moment longer.
        anew = f'[ "$(systemctl show -p InvocationID --value tinyproxy)" != {before[host]} ]'
        there = f"{anew} && ss -Hltn sport = :8888 | grep -q ."
        site.shell(host, f"for _ in $(seq 300); do {there} && exit; sleep 0.1; done; exit 1")


def test_a_stopped_proxy_and_an_emptied_chain_are_named_and_mended_beside_chains_that_are_not_ours(site: Site) -> None:
    foreign = "iptables -N SOMEBODYS; iptables -A SOMEBODYS -j RETURN; iptables -A OUTPUT -j SOMEBODYS"
    site.shell(OLD, f"{foreign}; iptables -F HOSTMUSTER-EGRESS")
    site.shell(NEW, "systemctl stop tinyproxy; ip6tables -I OUTPUT -o host0 -j ACCEPT")
    check = site.run("check")
    assert check.exit == 2
    assert check.item(OLD, "egress")["differences"] == ["chain HOSTMUSTER-EGRESS: IPv4 rules is none, declared 6 rules"]
    assert check.item(NEW, "egress")["differences"] == [
        "chain HOSTMUSTER-EGRESS: IPv6 jump is behind `-o host0 -j ACCEPT`, declared the first rule of OUTPUT",
        "unit tinyproxy.service: state is inactive, declared active",
    ]
    assert site.direct(OLD, "svc", ALLOWED)
    verified = site.run("verify")
    assert verified.exit == 1
    assert f"svc gets to {site.lab.subnet.bridge} by udp" in verified.item(OLD, "egress")["reason"]
    assert "the proxy refuses all else: not refused" in verified.item(NEW, "egress")["reason"]
    site.apply()
    assert site.run("check").exit == 0
    assert "-A SOMEBODYS -j RETURN" in site.shell(OLD, "iptables -S SOMEBODYS")
    assert "-A OUTPUT -j SOMEBODYS" in site.shell(OLD, "iptables -S OUTPUT")


def test_another_name_restarts_the_proxy_and_is_taken_back(site: Site) -> None:
    before = site.process(OLD)
    site.apply(allow=[ALLOWED, ELSE])
    assert site.process(OLD) != before
    assert " 200 " in site.proxied(OLD, ELSE)
    site.apply()
    assert site.proxied(OLD, ELSE).endswith(" 403 Filtered")


@pytest.mark.parametrize("host", HOSTS)
def test_a_pattern_that_would_kill_the_proxy_is_refused_by_each_debians_own(site: Site, host: str) -> None:
    assert site.lab.run(host, "cat >/run/filter", stdin=b"^good$\n\\(\n").ok
    words = trial("filter")
    assert site.lab.run(host, "cat >/run/trial", stdin=words[2].encode()).ok
    done = site.lab.run(host, 'bash -c "$(cat /run/trial)" filter /run/filter')
    assert done.status == 1
    assert "(exit 65)" in done.stdout


def test_a_user_who_is_not_there_fails_the_item_and_all_stays_as_it_was(site: Site) -> None:
    rules, process = site.shell(OLD, "iptables -S; ip6tables -S"), site.process(OLD)
    done = site.run("apply", users=["svc", "ghost"])
    assert done.exit == 1
    assert "ghost" in done.item(OLD, "egress")["reason"]
    assert (site.shell(OLD, "iptables -S; ip6tables -S"), site.process(OLD)) == (rules, process)


def test_after_a_power_loss_all_holds_without_an_apply_closed_before_the_network_was_up(site: Site) -> None:
    for host in HOSTS:
        site.lab.kill(host)
    for host in HOSTS:
        site.lab.start(host)
    assert site.run("check").exit == 0
    assert site.run("verify", "--deep").exit == 0
    for host in HOSTS:
        times = "systemctl show -p ActiveEnterTimestampMonotonic --value"
        closed, network = (
            int(site.shell(host, f"{times} {unit}")) for unit in ("hostmuster-egress", "systemd-networkd")
        )
        assert 0 < closed < network
