"""The seed: what makes one host differ from all others of its image, laid on its disk before the first boot."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from hostmuster.lab.machine import Machine
from hostmuster.lab.package_cache import PORT
from hostmuster.lab.subnet import Subnet

NETWORK = """\
[Match]
Name=host0

[Network]
Address={v4}/24
Address={v6}/64
DHCP=no
IPv6AcceptRA=no
"""


@dataclass(frozen=True)
class KeyPair:
    """An ed25519 key pair in OpenSSH's formats; the private half is never printed."""

    private: bytes
    public: str

    def __repr__(self) -> str:
        return f"KeyPair({self.public})"

    @classmethod
    def new(cls) -> KeyPair:
        """A fresh one, made in this process: ssh-keygen a hundred times takes seconds."""
        key = Ed25519PrivateKey.generate()
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH, serialization.NoEncryption()
        )
        public = key.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
        return cls(private, public.decode())


Laid = tuple[str, str | bytes, int]
"""A file of a seed: its path from the root, what it holds, its mode."""


def identity(name: str, address: str, key: KeyPair, root_key: str) -> list[Laid]:
    """Name, machine id, host key, and who may log in as root."""
    # Without its own name in /etc/hosts and with DNS dead, every sudo waits 20 s.
    hosts = f"127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n{address} {name}\n"
    return [
        ("etc/hostname", f"{name}\n", 0o644),
        ("etc/hosts", hosts, 0o644),
        ("etc/machine-id", f"{secrets.token_hex(16)}\n", 0o444),
        ("etc/ssh/ssh_host_ed25519_key", key.private, 0o600),
        ("etc/ssh/ssh_host_ed25519_key.pub", f"{key.public} root@{name}\n", 0o644),
        ("root/.ssh/authorized_keys", f"{root_key}\n", 0o600),
    ]


def lay(folder: Path, files: Iterable[Laid]) -> None:
    """Write files below `folder`, replacing an earlier seed."""
    if folder.is_dir():
        shutil.rmtree(folder)
    # These folders lie over the image's own, so their modes are what the host will show.
    for place, mode in (("", 0o755), ("etc", 0o755), ("etc/ssh", 0o755), ("root", 0o700), ("root/.ssh", 0o700)):
        (folder / place).mkdir(parents=True)
        (folder / place).chmod(mode)
    for path, content, mode in files:
        file = folder / path
        file.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as sink:
            os.fchmod(sink.fileno(), mode)
            sink.write(content.encode() if isinstance(content, str) else content)


@dataclass(frozen=True)
class Seed:
    """The files of one bare host: its identity, its addresses, the package proxy."""

    machine: Machine
    subnet: Subnet
    root_key: str

    def lay(self, folder: Path) -> str:
        """Write them below `folder` and return the host's public key."""
        key = KeyPair.new()
        lay(folder, [*identity(self.machine.name, self.machine.address, key, self.root_key), *self._network()])
        return key.public

    def _network(self) -> list[Laid]:
        address = self.machine.address
        network = NETWORK.format(v4=address, v6=self.subnet.v6_at(self.subnet.number(address)))
        # apt waits for ever for what it asked ahead of a proxy that closes the connection.
        proxy = f'Acquire::http {{ Proxy "http://{self.subnet.bridge}:{PORT}"; Pipeline-Depth "0"; }};\n'
        return [
            ("etc/systemd/network/10-host0.network", network, 0o644),
            ("etc/apt/apt.conf.d/01proxy", proxy, 0o644),
        ]
