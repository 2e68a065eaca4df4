"""The hosts of these tests, what is declared for them, and what is seen of them from outside."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hostmuster.images import archive
from hostmuster.lab import container_image
from hostmuster.lab.lab import Lab
from tests.lab.fleet_on_lab import Finished, FleetOnLab, machines_of
from tests.lab.pair import HOSTS, two_hosts

APP, LARGE = "app:1", "team/large:1"
PORT = 8088
MIB = 1 << 20


def web(**changes: Any) -> dict[str, Any]:
    """A web server whose pages are the code that is mounted."""
    declared = {
        "image": APP,
        "command": ["httpd", "-f", "-p", "80", "-h", "/app"],
        "env": {"LEVEL": "a b"},
        "publish": [{"port": PORT, "to": 80}],
        "binds": {"/opt/web": {"at": "/app"}},
        "ready": ["sh", "-c", f"curl -fsS -m 2 -o /dev/null http://$(hostname -I | cut -d' ' -f1):{PORT}/version"],
        "stop_s": 1,
    }
    return {"web": declared | changes}


class Site:
    """`images` and `containers`: what the items declare, written into the fleet file by each command."""

    def __init__(self, project: FleetOnLab, lab: Lab) -> None:
        self.project, self.lab = project, lab
        self.engine: dict[str, Any] = {}
        busybox = {"bin/busybox": container_image.busybox()}
        self.config = self.save("app.tar", busybox)
        self.images: dict[str, Any] = {APP: {"archive": "app.tar", "runs": ["true"]}}
        self.containers = web()

    def save(self, name: str, files: Mapping[str, bytes]) -> str:
        """An archive in the project, made by somebody else and named so; the config digest of its image."""
        path = self.project.folder / name
        path.write_bytes(container_image.archive(files, "somebody/else:7"))
        return archive.read(path).config

    def save_large(self, mebibytes: int = 16) -> str:
        """The same of some size, declared as LARGE."""
        pad = random.Random(1).randbytes(mebibytes * MIB)  # noqa: S311  # only to be large, and the same each time
        self.images[LARGE] = {"archive": "large.tar"}
        return self.save("large.tar", {"pad": pad})

    def declare(self) -> None:
        """The fleet file with the settings as they are now."""
        self.project.settings = {
            "images": self.engine | {"declared": self.images},
            "containers": {"declared": self.containers},
        }
        self.project.declare(machines_of(self.lab))

    def run(self, *words: str) -> Finished:
        """A command, and its document."""
        self.declare()
        return self.project.run(*words)

    def apply(self, *words: str) -> Finished:
        """An apply that must succeed."""
        done = self.run("apply", *words)
        assert done.exit == 0, done.errors
        return done

    def on(self, host: str, command: str) -> str:
        """What root's shell on the host says; it must succeed."""
        done = self.lab.run(host, command)
        assert done.ok, f"{host}: {command}\n{done.stdout}{done.stderr}"
        return done.stdout.strip()

    def address(self, host: str) -> str:
        return self.lab.hosts[host].machine.address

    def wait_until(self, host: str, command: str, seconds: float = 30) -> None:
        """Until a command succeeds on the host."""
        ends = time.monotonic() + seconds
        while not self.lab.run(host, command).ok:
            assert time.monotonic() < ends, f"{command} on {host} does not come true"
            time.sleep(0.05)

    def await_engine(self, host: str) -> None:
        """Until the engine itself says its version: that `docker info` succeeds is not enough."""
        self.wait_until(host, "timeout 5 docker info -f '{{.ServerVersion}}' | grep -q '^[0-9]'", 90)

    def sent_by_controller(self) -> int:
        """Bytes that this machine has sent into the lab."""
        return int(Path("/sys/class/net", self.lab.subnet.link, "statistics", "tx_bytes").read_text())

    def image(self, host: str, reference: str = APP) -> str:
        """The id of the image that a reference names there."""
        return self.on(host, f"docker image inspect -f '{{{{.Id}}}}' {reference}")

    def dockerd(self, host: str) -> str:
        """The process of the engine."""
        return self.on(host, "pidof dockerd")

    def process(self, host: str) -> str:
        """The container's process."""
        return self.on(host, "docker container inspect -f '{{.State.Pid}}' web")

    def page(self, host: str) -> str:
        """What the container serves."""
        return self.on(host, f"curl -fsS -m 3 http://{self.address(host)}:{PORT}/version")


@contextmanager
def started(folder: Path, name: str) -> Iterator[Site]:
    """The lab and its project; the hosts are bootstrapped and no more."""
    project = FleetOnLab(folder, name)
    project.own_checklist("access", "images", "containers")
    with Lab.up(two_hosts, name=name, known_hosts=project.known_hosts) as lab:
        site = Site(project, lab)
        site.declare()
        assert project.hostmuster("secrets.init").exit == 0
        done = site.run("bootstrap")
        assert done.exit == 0, done.errors
        for host in HOSTS:
            site.on(host, "mkdir -p /opt/web && echo one >/opt/web/version")
        yield site
