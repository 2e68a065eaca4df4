"""Taking labs away, whole ones and wrecks: by what the kernel says is there, not by what a file remembers."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable
from pathlib import Path

from hostmuster.lab import image, kernel, package_cache, tool
from hostmuster.lab.cgroup import ControlGroup
from hostmuster.lab.folder import LabFolder, all_labs, lock
from hostmuster.lab.host import GuestHost
from hostmuster.lab.subnet import Subnet
from hostmuster.lab.switch import Switch


def clear(name: str) -> None:
    """End a lab and remove every trace of it, whatever state it is in; nothing happens when there is none."""
    tool.require()
    folder = LabFolder(name)
    with lock("machine"), folder.locked():
        record = folder.read()
        killed = ControlGroup.named(name).processes()
        ControlGroup.named(name).kill()
        if record is not None:
            Switch(folder, Subnet(record.slot)).off()
        detach(folder.root)
        if record is not None and record.known_hosts:
            Path(record.known_hosts).unlink(missing_ok=True)
        folder.remove()
        if not all_labs():
            package_cache.stop()
            image.sweep_all()
            kernel.restore_limits()
            ControlGroup.named().kill()
    await_burial(killed)


def await_burial(processes: Iterable[int], seconds: float = 3.0) -> None:
    """Until the machine's PID 1 has reaped the dead: where it is no systemd, that takes it a moment."""
    end = time.monotonic() + seconds
    while any(Path("/proc", str(process)).exists() for process in processes) and time.monotonic() < end:
        time.sleep(0.02)


def remove_host(host: GuestHost) -> None:
    """Take one host out of a lab that stays."""
    host.kill()
    if host.place.is_dir():
        shutil.rmtree(host.place)


def detach(place: Path) -> None:
    """Let go of every mount and loop device under a folder that outlived its processes."""
    for line in reversed(Path("/proc/self/mountinfo").read_text().splitlines()):
        mounted = line.split()[4]
        if Path(mounted).is_relative_to(place):
            tool.run("umount", "--lazy", mounted)
    for line in tool.run("losetup", "--list", "--noheadings", "--output", "NAME,BACK-FILE").splitlines():
        device, _, file = line.partition(" ")
        if Path(file.strip().removesuffix(" (deleted)")).is_relative_to(place):
            tool.attempt(["losetup", "--detach", device])
