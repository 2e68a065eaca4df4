"""A real dockerd beside the firewall: what it publishes, after its restart, after its death and after a power loss."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

import pytest

from hostmuster.lab.lab import Lab
from hostmuster.lab.machine import Machine
from hostmuster.lab.subnet import Subnet
from tests.lab.firewall.conftest import Walled, project_of
from tests.lab.fleet_on_lab import machines_of
from tests.lab.pair import OLD

ALLOWED, OTHER = 8090, 8091
POLICY = {"published": [{"name": "shop", "ports": [ALLOWED], "from": ["anywhere"]}]}
PACKAGES = "docker.io busybox-static iptables"
CONTAINERS = f"""\
mkdir -p /root/tree/bin /root/tree/www && cp /bin/busybox /root/tree/bin && echo hello >/root/tree/www/index.html
tar -C /root/tree -c . | docker import - web:1
for port in {ALLOWED} {OTHER}; do
    docker run -d --restart=always --name web-$port -p $port:80 web:1 /bin/busybox httpd -f -p 80 -h /www || exit
done"""


def one_host(net: Subnet) -> list[Machine]:
    """Docker 20.10: without DOCKER-USER for IPv6."""
    return [Machine(OLD, net.at(11), 12, ("server",))]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walled]:
    """A host with two published containers, one of which is declared."""
    project = project_of(tmp_path_factory.mktemp("docker") / "project", f"test-{os.getpid()}-docker")
    with Lab.up(one_host, name=project.name, known_hosts=project.known_hosts) as lab:
        fleet = Walled(project, lab, POLICY)
        project.declare(machines_of(lab))
        assert project.hostmuster("secrets.init").exit == 0
        install = f"DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends {PACKAGES}"
        fleet.on(OLD, install, timeout_s=600)
        fleet.on(OLD, CONTAINERS)
        assert fleet.run("bootstrap").exit == 0
        yield fleet


def answers(fleet: Walled) -> dict[tuple[int, int], bool]:
    """Of each published port, by family, whether it answers from outside."""
    places = {4: fleet.lab.hosts[OLD].machine.address, 6: f"[{fleet.lab.subnet.v6_at(11)}]"}
    asked = [(family, port) for family in places for port in (ALLOWED, OTHER)]
    return {(family, port): _answers(f"http://{places[family]}:{port}/") for family, port in asked}


def _answers(url: str) -> bool:
    words = ["curl", "-s", "--noproxy", "*", "--connect-timeout", "1", "-m", "3", url]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout == "hello\n"


AS_DECLARED = {(4, ALLOWED): True, (4, OTHER): False, (6, ALLOWED): True, (6, OTHER): False}


def test_published_ports_are_as_declared_whatever_happens_to_dockerd(published: Walled) -> None:
    assert set(answers(published).values()) == {True}
    before = published.foreign(OLD)
    published.apply()
    assert published.foreign(OLD) == before
    assert answers(published) == AS_DECLARED
    published.on(OLD, "systemctl restart docker")
    settled(published)
    published.lab.kill(OLD)
    published.lab.start(OLD)
    settled(published)


def settled(fleet: Walled) -> None:
    """Once both containers serve again, all is as declared, without an apply."""
    for port in (ALLOWED, OTHER):
        fleet.wait_until(OLD, f"curl -s -m 1 -o /dev/null http://{fleet.lab.hosts[OLD].machine.address}:{port}/", 90)
    assert answers(fleet) == AS_DECLARED
    check = fleet.run("check")
    assert check.exit == 0, check.errors
