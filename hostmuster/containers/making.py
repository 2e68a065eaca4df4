"""How a container is made of its declaration: the words of `docker create`, and who it is."""

from __future__ import annotations

import hashlib
import json
import shlex
from dataclasses import dataclass

from hostmuster.containers.declaration import Container
from hostmuster.env.file import render
from hostmuster.model.fleet import Host

FOLDER = "/etc/hostmuster/containers"


@dataclass(frozen=True)
class Making:
    """One container of a host. `config`: the config digest of its image.

    What it is called inside and its machine id come from names alone: they outlive its recreation (H7).
    """

    host: Host
    name: str
    want: Container
    config: str

    @property
    def unit(self) -> str:
        """Its supervisor."""
        return f"container-{self.name}.service"

    @property
    def hostname(self) -> str:
        """Unique in the fleet."""
        return f"{self.name}.{self.host.name}"

    @property
    def machine_id(self) -> bytes:
        """As /etc/machine-id holds it (machine-id(5))."""
        identity = f"{self.host.fleet.name}/{self.host.name}/{self.name}"
        return f"{hashlib.sha256(identity.encode()).hexdigest()[:32]}\n".encode()

    @property
    def address(self) -> str:
        """Where its ports are published."""
        return self.want.address or self.host.address

    @property
    def environment(self) -> bytes:
        """Its variables as docker reads them."""
        return render("docker", self.want.env)

    @property
    def spec(self) -> str:
        """The same for the same container, and no other: what it runs, with what, and of which image."""
        told = json.dumps([self._words, self.config, self.environment.decode(), self.machine_id.decode()])
        return hashlib.sha256(told.encode()).hexdigest()[:32]

    @property
    def run(self) -> bytes:
        """What its supervisor reads: $spec, and the words of `docker create`."""
        words = " \\\n    ".join(
            map(shlex.quote, [*self._options("--label", f"hostmuster.spec={self.spec}"), *self._words])
        )
        return f"# Made by hostmuster: item containers.\nspec={self.spec}\nset -- \\\n    {words}\n".encode()

    @property
    def _words(self) -> list[str]:
        want = self.want
        words = ["--name", self.name, "--hostname", self.hostname, "--pull", "never", "--restart", "no"]
        words += ["--stop-timeout", str(want.stop_s), "--env-file", f"{FOLDER}/{self.name}.env"]
        words += _mount(f"{FOLDER}/{self.name}.machine-id", "/etc/machine-id", writable=False)
        for source, bind in want.binds.items():
            words += _mount(source, bind.at, writable=bind.writable)
        for one in want.publish:
            words += ["--publish", f"{self.address}:{one.port}:{one.to}/tcp"]
        words += self._options("--user", want.user)
        words += self._options("--security-opt", f"apparmor={want.apparmor}" if want.apparmor else None)
        return [*words, want.image, *want.command]

    def _options(self, option: str, value: str | None) -> list[str]:
        return [option, value] if value is not None else []


def _mount(source: str, target: str, *, writable: bool) -> list[str]:
    # --mount, since --volume would make a directory where the source is missing.
    return ["--mount", f"type=bind,source={source},target={target}" + ("" if writable else ",readonly")]
