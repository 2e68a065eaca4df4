"""One host of a running lab: boot it, run something in it as root, take its power."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from hostmuster.errors import HostFailed
from hostmuster.lab import readiness, supervisor
from hostmuster.lab.cgroup import ControlGroup
from hostmuster.lab.disk import Disk
from hostmuster.lab.folder import LabFolder, write_atomically
from hostmuster.lab.machine import Machine
from hostmuster.lab.seed import Seed
from hostmuster.lab.subnet import Subnet

CLEAN = (
    *("env", "-i", "--chdir=/root", "HOME=/root", "LANG=C.UTF-8"),
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
)

# More would only wait for the two or four cores such a machine has.
AT_ONCE = 16


@dataclass(frozen=True)
class Result:
    """What a command in a guest ended with: its exit status, stdout and stderr."""

    status: int
    stdout: str
    stderr: str

    @property
    def ok(self) -> bool:
        """Whether it ended with 0."""
        return self.status == 0


@dataclass(frozen=True)
class GuestHost:
    """A machine of the lab, as a process tree and a disk on this machine."""

    machine: Machine
    folder: LabFolder
    subnet: Subnet

    @property
    def name(self) -> str:
        """Its name in the fleet and its hostname."""
        return self.machine.name

    @property
    def place(self) -> Path:
        """Its folder on this machine."""
        return self.folder.host(self.name)

    @property
    def machine_name(self) -> str:
        """What nspawn calls it: short, since its interface's name (vb-...) has room for 15 characters."""
        return f"hm{self.subnet.slot}-{self.subnet.number(self.machine.address)}"

    @property
    def control_group(self) -> ControlGroup:
        """The group of its supervisor and of everything in the guest."""
        return ControlGroup.named(self.folder.name, "host-" + self.name)

    @property
    def disk(self) -> Disk:
        """Its disk image."""
        return Disk(self.place / "disk.img")

    @property
    def cut_mark(self) -> Path:
        """There while the host is cut off, so that it boots that way too."""
        return self.place / "cut"

    def make(self, image: Path, disk_bytes: int, root_key: str) -> None:
        """A bare new disk on an image, with a machine id and a host key nobody else has. The host must be off."""
        self.place.mkdir(mode=0o700, parents=True, exist_ok=True)
        for mount in ("disk", "root"):
            (self.place / mount).mkdir(exist_ok=True)
        public = Seed(self.machine, self.subnet, root_key).lay(self.place / "seed")
        self.disk.make(disk_bytes)
        # A disk belongs to the image it was begun on, also when newer ones are built later.
        write_atomically(self.place / "image", f"{image}\n")
        write_atomically(self.place / "host_key.pub", f"{public}\n")

    @property
    def is_made(self) -> bool:
        """Whether it has its disk and all that belongs to it: the host key's file is written last."""
        return (self.place / "host_key.pub").is_file()

    @property
    def image(self) -> Path:
        """The image that its disk stands on."""
        return Path((self.place / "image").read_text().strip())

    @property
    def host_key(self) -> str:
        """The public host key that the lab gave it: `ssh-ed25519 AAAA...`."""
        return (self.place / "host_key.pub").read_text().strip()

    def boot(self, namespace: Path) -> None:
        """Switch it on; returns at once. Nothing happens when it runs."""
        if self.control_group.is_populated:
            return
        self.disk.await_release()
        command = supervisor.command(namespace, self.place, self.image, self.machine_name, self.name)
        self.control_group.start(command, self.place / "console.log")

    def await_boot(self, seconds: float = 90.0) -> None:
        """Until its sshd answers, or, cut off, until it would. HostFailed when it never does."""
        end = time.monotonic() + seconds
        while not self._is_ready():
            if time.monotonic() > end or not self.control_group.is_populated:
                log = self.place / "console.log"
                said = "\n".join(log.read_text(errors="replace").strip().splitlines()[-6:])
                raise HostFailed(f"did not boot: {said}", where=self.name, remedy=f"read {log}")
            time.sleep(0.05)

    def _is_ready(self) -> bool:
        leader, address = self.leader(), self.machine.address
        if leader is None or not (readiness.is_listening(leader) and readiness.has_address(leader, address)):
            return False
        return self.cut_mark.exists() or readiness.answers(address)

    def leader(self) -> int | None:
        """The guest's PID 1 as this machine numbers it, or None while the guest is off."""
        for process in self.control_group.processes():
            try:
                status = Path(f"/proc/{process}/status").read_text()
            except OSError:
                continue
            numbers = next(line for line in status.splitlines() if line.startswith("NSpid:")).split()[1:]
            if len(numbers) == 2 and numbers[1] == "1":
                return process
        return None

    def entered(self, command: str | None) -> list[str]:
        """The argv of a shell command (None: a login shell) run inside as root; HostFailed when it is off."""
        leader = self.leader()
        if leader is None:
            raise HostFailed("is off", where=self.name, remedy=f"hostmuster lab.start {self.name}")
        enter = ["nsenter", "--target", str(leader), "--all", "--root", "--wd"]
        shell = ["/bin/bash", "--login"] if command is None else ["/bin/bash", "-c", command]
        return [*enter, *CLEAN, f"TERM={os.environ.get('TERM', 'dumb')}", *shell]

    def run(self, command: str, *, stdin: str | bytes = b"", timeout_s: float = 120.0) -> Result:
        """Run a shell command in it as root, without sshd or network. HostFailed when it is off or hangs."""
        given = stdin.encode() if isinstance(stdin, str) else stdin
        try:
            done = subprocess.run(
                self.entered(command), input=given, capture_output=True, check=False, timeout=timeout_s
            )
        except subprocess.TimeoutExpired as hung:
            raise HostFailed(f"`{command}` did not end within {timeout_s:.0f} s", where=self.name) from hung
        out, err = (stream.decode(errors="replace") for stream in (done.stdout, done.stderr))
        return Result(done.returncode, out, err)

    def kill(self) -> None:
        """Power loss: all stands still, the disk stops with all unsynced writes lost, then every process dies."""
        self.control_group.freeze()
        # The supervisor sees the disk and nspawn does, whichever of them still lives; the guest's processes do not.
        any(self.disk.cut_power(process, self.place / "disk") for process in self.control_group.processes())
        self.control_group.kill()
        self.disk.await_release()

    @property
    def state(self) -> str:
        """off, cut, or running."""
        if not self.control_group.is_populated:
            return "off"
        return "cut" if self.cut_mark.exists() else "running"


def each(hosts: Iterable[GuestHost], act: Callable[[GuestHost], None]) -> None:
    """Do something to all hosts, several at once; raises what the first one that fails raises, after all are done."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for done in [pool.submit(act, host) for host in hosts]:
            done.result()
