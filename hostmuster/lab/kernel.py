"""The one setting of the machine that labs raise, and put back when the last lab is gone."""

from __future__ import annotations

from pathlib import Path

from hostmuster.lab.folder import STATE, write_atomically

# At the default of 128 the 18th guest dies at boot: "Failed to create control group inotify object".
INSTANCES = Path("/proc/sys/fs/inotify/max_user_instances")
ENOUGH = 8192
BEFORE = STATE / ".inotify-before"


def raise_limits() -> None:
    """Allow enough inotify instances for a hundred guests. The caller holds the machine's lock."""
    now = int(INSTANCES.read_text())
    if now < ENOUGH:
        write_atomically(BEFORE, f"{now}\n")  # first: killed in between, the old value is still known
        INSTANCES.write_text(str(ENOUGH))


def restore_limits() -> None:
    """Put back what was there, if we raised it and nobody changed it since. The caller holds the machine's lock."""
    if not BEFORE.is_file():
        return
    if int(INSTANCES.read_text()) == ENOUGH:
        INSTANCES.write_text(BEFORE.read_text().strip())
    BEFORE.unlink()
