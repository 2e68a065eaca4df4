"""A control group of the lab: the kernel's own list of what belongs to it, and one switch that kills it all.

Everything the lab starts enters its group before it does anything else. So what runs is asked of the kernel, not
of a pid file, and a lab whose maker was killed is found and ended just the same (cgroups(7), cgroup.kill).
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hostmuster.errors import HostmusterError, Refused
from hostmuster.lab import tool

# Enters the group, then forks: there is no moment in which the program runs outside, and when this ends, it is there.
ENTER = 'echo $$ > "$1/cgroup.procs" && shift && exec setsid --fork "$@"'


@dataclass(frozen=True)
class ControlGroup:
    """One folder of the unified cgroup tree, with all groups below it. `shadow`: where the machine has systemd's older
    tree beside it, the folder that systemd-nspawn makes there, and leaves."""

    folder: Path
    shadow: Path | None

    @classmethod
    def named(cls, *names: str) -> ControlGroup:
        """The group hostmuster-lab/NAME/... whether it exists or not. Refused where there is no cgroup v2."""
        unified, shadow = _tree("cgroup2"), _tree("cgroup", "name=systemd")
        if unified is None:
            raise Refused(
                "this machine has no unified control groups (cgroup2) mounted",
                where="lab",
                remedy="mount -t cgroup2 none /sys/fs/cgroup/unified",
            )
        path = Path("hostmuster-lab", *names)
        return cls(unified / path, shadow / path if shadow else None)

    def start(self, argv: Sequence[str], log: Path) -> None:
        """Start a program in this group, detached from us; what it prints goes to `log`."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as sink:
            subprocess.run(
                ["sh", "-c", ENTER, "sh", str(self.folder), *argv],
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=sink,
                check=True,
                env={"PATH": tool.path(), "LC_ALL": "C.UTF-8"},
            )

    @property
    def is_populated(self) -> bool:
        """Whether any process is in it or below it."""
        try:
            return "populated 1" in (self.folder / "cgroup.events").read_text()
        except FileNotFoundError:
            return False

    def processes(self) -> tuple[int, ...]:
        """The ids of all processes in it and below it, lowest first."""
        found: set[int] = set()
        for folder, _, _ in os.walk(self.folder):
            try:
                found.update(map(int, Path(folder, "cgroup.procs").read_text().split()))
            except OSError:  # a group below may go while we read
                continue
        return tuple(sorted(found - {0}))

    def freeze(self, timeout_s: float = 2.0) -> None:
        """Let nothing in it run any more. Waits until all stand still, but not for one that cannot."""
        if not self.is_populated:
            return
        (self.folder / "cgroup.freeze").write_text("1")
        end = time.monotonic() + timeout_s
        while "frozen 0" in (self.folder / "cgroup.events").read_text() and time.monotonic() < end:
            time.sleep(0.002)

    def kill(self, timeout_s: float = 30.0) -> None:
        """SIGKILL everything in it at once, wait until all is gone, and remove it."""
        if self.folder.is_dir():
            (self.folder / "cgroup.kill").write_text("1")
        end = time.monotonic() + timeout_s
        while self.is_populated:
            if time.monotonic() > end:
                raise HostmusterError(
                    f"processes {self.processes()} do not die",
                    where=str(self.folder),
                    remedy="look at them with ps",
                )
            time.sleep(0.005)
        self._remove()

    def _remove(self) -> None:
        for top in filter(None, (self.folder, self.shadow)):
            for folder, _, _ in os.walk(top, topdown=False):
                Path(folder).rmdir()


def _tree(kind: str, option: str = "rw") -> Path | None:
    """Where a tree of this kind is mounted with the option; None where none is (proc_pid_mountinfo(5))."""
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        left, right = line.split(" - ", 1)
        found, _, options = right.split()
        if found == kind and option in options.split(","):
            return Path(left.split()[4])
    return None
