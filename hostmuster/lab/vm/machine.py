"""A virtual machine, its processor emulated in software: slow, and needing nothing of the machine it runs on.

It has no network but one door: its sshd, on a port of this machine's loopback address.
"""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hostmuster.errors import HostFailed
from hostmuster.lab import package_cache, pins, tool
from hostmuster.lab.cgroup import ControlGroup
from hostmuster.lab.folder import LabFolder, lock
from hostmuster.lab.host import Result
from hostmuster.lab.mirror import Mirror
from hostmuster.lab.seed import KeyPair, identity, lay
from hostmuster.lab.vm import bare, disk

ADDRESS = "127.0.0.1"
NETWORK = """\
[Match]
Name=eth0

[Network]
Address=10.0.2.15/24
DHCP=no
IPv6AcceptRA=no
LinkLocalAddressing=no
"""
MEMORY_MB = 512

# Each costs the emulated processor up to a second at boot, and a host that is reached by SSH alone needs none of them.
MASKED = (
    "systemd-timesyncd.service", "systemd-logind.service", "systemd-journal-flush.service",
    "systemd-random-seed.service", "systemd-update-utmp.service", "systemd-sysusers.service",
    "getty@tty1.service", "serial-getty@ttyS0.service", "kmod-static-nodes.service",
    "dev-hugepages.mount", "dev-mqueue.mount", "sys-kernel-debug.mount", "sys-kernel-tracing.mount",
    "sys-fs-fuse-connections.mount", "modprobe@configfs.service", "modprobe@drm.service", "modprobe@dm_mod.service",
    "modprobe@efi_pstore.service", "modprobe@fuse.service", "modprobe@loop.service",
)  # fmt: skip


@dataclass(frozen=True)
class VirtualMachine:
    """The one machine of a folder below the lab's. Whoever finds that folder can end it: hostmuster.lab.wreck."""

    name: str
    folder: LabFolder
    port: int

    @classmethod
    def make(cls, name: str, folder: str, known_hosts: Path, say: Callable[[str], None]) -> VirtualMachine:
        """A bare one, off, its host key pinned in `known_hosts`; the image is built the first time (two minutes)."""
        tool.require()
        machine = cls(name, LabFolder(folder), _free_port())
        machine.folder.root.mkdir(mode=0o711, parents=True)
        mirror = Mirror.of_this_machine()
        with lock("machine"):
            package_cache.ensure(mirror)
        built = bare.ensure(mirror, say)
        root, host = KeyPair.new(), KeyPair.new()
        machine.root_key.touch(mode=0o600)
        machine.root_key.write_bytes(root.private)
        network = ("etc/systemd/network/10-eth0.network", NETWORK, 0o644)
        lay(machine.folder.root / "seed", [*identity(name, "127.0.1.1", host, root.public), network])
        disk.make(machine._disk, built, machine.folder.root / "seed")
        (machine.folder.root / "kernel").symlink_to(sorted(built.glob("boot/vmlinuz-*"))[-1])
        pins.write(known_hosts, {f"[{ADDRESS}]:{machine.port}": host.public})
        (machine.folder.root / "known_hosts").symlink_to(known_hosts)
        return machine

    @property
    def root_key(self) -> Path:
        """The private key that logs in as root."""
        return self.folder.key

    @property
    def console(self) -> Path:
        """What its kernel and systemd have said."""
        return self.folder.root / "console.log"

    @property
    def _disk(self) -> Path:
        return self.folder.root / "disk.img"

    @property
    def _control_group(self) -> ControlGroup:
        return ControlGroup.named(self.folder.name, "vm")

    def boot(self, seconds: float = 400.0) -> None:
        """Switches it on, and returns when its sshd answers. Raises HostFailed when it never does."""
        self._control_group.start(self._emulator(), self.console)
        end = time.monotonic() + seconds
        while not self._greets():
            if time.monotonic() > end or not self._control_group.is_populated:
                said = "\n".join(self.console.read_text(errors="replace").strip().splitlines()[-6:])
                raise HostFailed(f"did not boot: {said}", where=self.name, remedy=f"read {self.console}")
            time.sleep(0.2)

    def kill(self) -> None:
        """Takes its power: what it had not written is lost."""
        self._control_group.kill()

    def run(self, command: str, timeout_s: float = 120.0) -> Result:
        """A command of root's shell there, over SSH. Raises HostFailed when it does not end."""
        pinned = f"UserKnownHostsFile={self.folder.root / 'known_hosts'}"
        options = ["-F", "none", "-o", "BatchMode=yes", "-o", pinned, "-o", "IdentitiesOnly=yes"]
        words = ["ssh", *options, "-i", str(self.root_key), "-p", str(self.port), f"root@{ADDRESS}", command]
        try:
            done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=timeout_s)
        except subprocess.TimeoutExpired as hung:
            raise HostFailed(f"`{command}` did not end within {timeout_s:.0f} s", where=self.name) from hung
        return Result(done.returncode, done.stdout, done.stderr)

    def _greets(self) -> bool:
        # The emulator accepts the connection itself, and closes it while nobody listens behind it.
        try:
            with socket.create_connection((ADDRESS, self.port), timeout=2) as connection:
                connection.settimeout(20)
                return connection.recv(4) == b"SSH-"
        except OSError:
            return False

    def _emulator(self) -> list[str]:
        # The kernel has NVMe and ext4 built in, so it needs no initial RAM disk.
        masked = " ".join(f"systemd.mask={unit}" for unit in MASKED)
        told = f"root=/dev/nvme0n1 rootfstype=ext4 rw console=ttyS0 net.ifnames=0 mitigations=off quiet {masked}"
        told += " panic=-1 systemd.unit=multi-user.target"
        # On a busy machine the kernel sees too few ticks while it tries its timer, and then routes interrupts so that
        # those of the disk are lost.
        told += " no_timer_check"
        # What the guest flushes is in this machine's page cache, which outlives the emulator: it waits for no more.
        disk = f"file={self._disk},if=none,id=disk,format=raw,cache=unsafe"
        door = f"user,id=net,restrict=on,hostfwd=tcp:{ADDRESS}:{self.port}-:22"
        return [
            *("qemu-system-x86_64", "-accel", "tcg", "-cpu", "max", "-m", str(MEMORY_MB), "-nodefaults"),
            *("-no-user-config", "-display", "none", "-monitor", "none", "-serial", "stdio"),
            *("-kernel", str(self.folder.root / "kernel"), "-append", told, "-no-reboot"),
            *("-drive", disk, "-device", "nvme,drive=disk,serial=disk"),
            *("-netdev", door, "-device", "virtio-net-pci,netdev=net,romfile=", "-device", "virtio-rng-pci"),
        ]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((ADDRESS, 0))
        port: int = probe.getsockname()[1]
        return port
