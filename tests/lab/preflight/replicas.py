"""Backends that share a real Redis, and what is made wrong with one of them on purpose."""

from __future__ import annotations

import os
import secrets
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hostmuster.lab.lab import Lab
from tests.lab.backends.backends import HOSTS, PORT, Backends, BackendsFleet, two_hosts
from tests.lab.fleet_on_lab import Finished, machines_of

ISSUER = {
    "unit": "workload.service",
    "jwks": f"http://{{address}}:{PORT}/.well-known/jwks.json",
    "token": f"http://{{address}}:{PORT}/token",
    "verify": f"http://{{address}}:{PORT}/verify",
    "token_life_s": 10,
}
UNIT, RENDERER = "workload.service", "workload-renderer.service"
ONE, OTHER = HOSTS


class Replicas(Backends):
    """`password`: that of their Redis, which runs on one of them."""

    def __init__(self, fleet: BackendsFleet, lab: Lab) -> None:
        super().__init__(fleet, lab)
        self.password = secrets.token_hex(16)

    def made(self, database_url: str = "", redis_url: str = "") -> None:
        """With a Redis that both reach."""
        self.redis(OTHER)
        super().made(database_url, redis_url or self.redis_url(OTHER))
        self.declare()

    def declare(self, **values: object) -> None:
        """The fleet file once more, with how the service is asked; `values` go to the service's environment."""
        self.fleet.settings["secrets"]["issuers"] = {"signing": ISSUER}
        self.fleet.settings["env_files"]["files"]["backend"]["values"] |= values
        self.fleet.extra = {"lease_s": 30, "silence_s": 8}
        self.fleet.declare(machines_of(self.lab))

    def redis(self, host: str) -> None:
        """A real Redis of Debian's on a host, for the other one too."""
        address = self.lab.host(host).machine.address
        install = "DEBIAN_FRONTEND=noninteractive apt-get install -y -q redis-server"
        config = f"bind {address}\nrequirepass {self.password}\n"
        assert self.lab.run(host, install).ok
        assert self.lab.run(host, "cat >>/etc/redis/redis.conf && systemctl restart redis-server", stdin=config).ok

    def redis_url(self, host: str, password: str = "") -> str:
        """Its URL."""
        return f"redis://:{password or self.password}@{self.lab.host(host).machine.address}:6379/0"

    def check(self, *words: str) -> Finished:
        """`secrets.check --json`."""
        return self.fleet.run("secrets.check", *words)

    @contextmanager
    def wrong(
        self, host: str, unit: str = UNIT, env: Mapping[str, str] | None = None, directives: str = ""
    ) -> Iterator[None]:
        """One replica started with other variables than its own, or with directives of somebody's."""
        folder, given = f"/run/systemd/system/{unit}.d", "/run/by-hand.env"
        file = "".join(f'{name}="{value}"\n' for name, value in (env or {}).items())
        drop_in = f"[Service]\nEnvironmentFile={given}\n{directives}\n"
        assert self.lab.run(host, f"umask 077; cat >{given}; mkdir -p {folder}", stdin=file).ok
        assert self.lab.run(host, f"cat >{folder}/zz-by-hand.conf", stdin=drop_in).ok
        try:
            self.restarted(host, unit)
            yield
        finally:
            self.lab.run(host, f"rm -rf {folder} {given}")
            self.restarted(host, unit)

    def restarted(self, host: str, unit: str = UNIT) -> None:
        """Started anew, and answering or given up."""
        ready = f"curl -fsS -o /dev/null -m 2 http://{self.lab.host(host).machine.address}:{PORT}/health/ready"
        ended = f"{{ systemctl is-active -q {unit} && {ready}; }} || systemctl is-failed -q {unit}"
        waits = f"for _ in $(seq 50); do {{ {ended}; }} && exit 0; sleep 0.2; done"
        self.lab.run(host, f"systemctl daemon-reload; systemctl reset-failed {unit}; systemctl restart {unit}; {waits}")


def misses(done: Finished) -> dict[tuple[str, str], str]:
    """By host and line, what is missing there."""
    found: dict[tuple[str, str], list[str]] = {}
    for row in done.document["lines"]:
        if row["state"] == "missing":
            found.setdefault((row["host"], row["line"]), []).append(f"{row['where']}: {row['said']}")
    return {key: "\n".join(said) for key, said in found.items()}


def states(done: Finished, host: str) -> dict[str, Any]:
    """By line, how a replica stands."""
    return {row["line"]: row["state"] for row in done.document["lines"] if row["host"] == host}


@contextmanager
def replicas_in(folder: Path, what: str) -> Iterator[Replicas]:
    """A lab of two hosts whose backends share all they must."""
    name = f"test-{os.getpid()}-{what}"
    fleet = BackendsFleet(folder / "project", name)
    with Lab.up(two_hosts, name=name, known_hosts=fleet.known_hosts, disk_bytes=1 << 30) as lab:
        here = Replicas(fleet, lab)
        here.made()
        yield here


@contextmanager
def shared_volume(lab: Lab, image: Path, folder: str, hosts: tuple[str, ...] = HOSTS) -> Iterator[None]:
    """One file system on all of them: guests have one kernel, so a loop device mounted twice is the same one."""
    image.touch()
    os.truncate(image, 32 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-F", image], check=True)
    loop = subprocess.run(["losetup", "-f", "--show", image], check=True, capture_output=True, text=True).stdout.strip()
    number = loop.removeprefix("/dev/loop")
    try:
        for host in hosts:
            mount = f"mknod -m 600 /dev/shared b 7 {number} && mkdir -p {folder} && mount -t ext4 /dev/shared {folder}"
            assert lab.run(host, f"{mount} && chmod 1777 {folder}").ok
        yield
    finally:
        for host in hosts:
            lab.run(host, f"umount {folder}; rm -f /dev/shared; rmdir {folder}")
        subprocess.run(["losetup", "-d", loop], check=True)
