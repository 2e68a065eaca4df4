"""A host's disk: a sparse image file with ext4 on a loop device, bounded, and lost as power loss loses it."""

from __future__ import annotations

import fcntl
import os
import struct
import time
from dataclasses import dataclass
from pathlib import Path

from hostmuster.errors import HostmusterError
from hostmuster.lab import tool

DEFAULT_BYTES = 4 * 1024**3
FS_IOC_SHUTDOWN = 0x8004587D  # _IOR('X', 125, __u32): linux/fs.h (ext4: EXT4_IOC_SHUTDOWN)
LOOP_MAJOR = 7  # Documentation/admin-guide/devices.txt
NOLOGFLUSH = 2  # not even the journal is written out: what was not fsynced is gone


@dataclass(frozen=True)
class Disk:
    """The image file of one host."""

    file: Path

    def make(self, size: int = DEFAULT_BYTES) -> None:
        """A new empty disk of `size` bytes, in milliseconds: nothing is written but the few blocks that differ."""
        beside = self.file.with_suffix(".new")
        beside.unlink(missing_ok=True)
        with beside.open("wb") as sink:
            sink.truncate(size)
        lazily = "lazy_itable_init=1,lazy_journal_init=1,nodiscard"
        tool.run("mkfs.ext4", "-q", "-F", "-m", "0", "-i", "16384", "-J", "size=32", "-E", lazily, str(beside))
        beside.replace(self.file)

    def cut_power(self, process: int, mounted: Path) -> bool:
        """Stop the file system dead, if `process` sees it mounted at `mounted`; False if it does not."""
        try:
            place = os.open(f"/proc/{process}/root{mounted}", os.O_RDONLY | os.O_DIRECTORY)
        except OSError:  # it has ended meanwhile, or its root is the guest's
            return False
        try:
            # Not mounted (yet, or any more): this is the machine's own file system, never to be shut down.
            if os.major(os.fstat(place).st_dev) != LOOP_MAJOR:
                return False
            fcntl.ioctl(place, FS_IOC_SHUTDOWN, struct.pack("I", NOLOGFLUSH))
            return True
        finally:
            os.close(place)

    def devices(self) -> tuple[str, ...]:
        """The loop devices that have this file open."""
        listed = tool.run("losetup", "--associated", str(self.file), "--noheadings", "--output", "NAME")
        return tuple(listed.split())

    def await_release(self, seconds: float = 20.0) -> None:
        """Until the kernel has unmounted it. Mounting it again earlier would see the dead file system, not the disk."""
        end = time.monotonic() + seconds
        while self.devices():
            if time.monotonic() > end:
                raise HostmusterError(
                    f"its disk is still held by {', '.join(self.devices())}",
                    where=str(self.file),
                    remedy="find who holds it: grep -l <loop device> /proc/*/mountinfo",
                )
            time.sleep(0.01)
