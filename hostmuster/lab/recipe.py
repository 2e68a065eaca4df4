"""The recipe of an image: everything that decides what a bare host has on its disk."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from hostmuster.lab.mirror import Mirror

VERSION = 1  # raised whenever what image.py does to the tree changes

# What a fresh cloud machine has, and nothing that an item would bring: no python3, no chrony.
PACKAGES = (
    "systemd", "systemd-sysv", "dbus", "udev", "systemd-timesyncd", "openssh-server", "sudo", "iproute2",
    "iputils-ping", "nftables", "procps", "e2fsprogs", "kmod", "ca-certificates", "curl", "less", "netbase",
    "tzdata",
)  # fmt: skip

# Guests share the machine's clock and may not set it, so Debian's unit would be skipped silently. This wakes only
# when an item installs chrony: it then runs for real, with -x (it measures and never steps the clock).
CHRONY_UNIT = """\
# Only in the lab: its hosts share one clock and may not set it.
[Unit]
ConditionCapability=

[Service]
EnvironmentFile=/etc/systemd/system/chrony.service.d/lab.env
"""
CHRONY_OPTIONS = 'DAEMON_OPTS="-F 1 -x"\n'

# apt's own timers take the package lock at random moments and would fetch from all hosts at once.
QUIET_UNITS = (
    "apt-daily.timer", "apt-daily-upgrade.timer", "dpkg-db-backup.timer", "e2scrub_all.timer", "e2scrub_reap.service",
    "fstrim.timer",
)  # fmt: skip


@dataclass(frozen=True)
class Recipe:
    """A Debian release, its packages, and our own files in it."""

    suite: str
    packages: tuple[str, ...]
    files: tuple[tuple[str, str], ...]
    units_off: tuple[str, ...] = QUIET_UNITS
    version: int = VERSION

    @property
    def digest(self) -> str:
        """What the finished image is filed under: another recipe is another image."""
        text = json.dumps([self.suite, self.packages, self.files, self.units_off, self.version])
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def name(self) -> str:
        """The image's folder name."""
        return f"{self.suite}-{self.digest}"


def recipe(suite: str, mirror: Mirror) -> Recipe:
    """How a bare host of this release is made from this mirror."""
    files = {
        "/etc/apt/sources.list.d/debian.sources": mirror.sources(suite),
        "/etc/apt/apt.conf.d/10languages": 'Acquire::Languages "none";\n',
        "/etc/systemd/system/chrony.service.d/lab.conf": CHRONY_UNIT,
        "/etc/systemd/system/chrony.service.d/lab.env": CHRONY_OPTIONS,
    }
    if mirror.ignore_dates:
        files["/etc/apt/apt.conf.d/10dates"] = 'Acquire::Check-Valid-Until "false";\nAcquire::Check-Date "false";\n'
    return Recipe(suite, PACKAGES, tuple(sorted(files.items())))
