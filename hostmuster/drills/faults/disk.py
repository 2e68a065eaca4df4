"""A full disk: one file takes all that is left, also what is root's alone."""

from __future__ import annotations

from hostmuster.drills.faults.fault import Fault, Ground, OnHost
from hostmuster.resources.step import Run

FILE = "/var/tmp/hostmuster-drill.full"  # noqa: S108 - root's, and there until it is undone
UNIT = "hostmuster-drill-full"
# Once the transaction that started it is on disk: that needs a block, too. By halves, until not even 4 KiB are left:
# how much that is nobody can say, since root has blocks of its own.
FILL = """
until grep -q ^switched /var/lib/hostmuster/change/phase; do
    [ -d /var/lib/hostmuster/change ] || exit 0
    sleep 0.1
done
: >"$1" && size=$(df --output=size -B1 "$1" | tail -n 1)
while [ "$size" -ge 4096 ]; do
    at=$(stat -c %s "$1")
    fallocate -o "$at" -l "$size" "$1" 2>/dev/null || size=$((size / 2))
done
"""
UNDO = 'systemctl stop "$1.service" 2>/dev/null; rm -f "$2"'


def _full(_ground: Ground) -> OnHost:
    begin = ("systemd-run", "--quiet", "--collect", f"--unit={UNIT}", "sh", "-c", FILL, "sh", FILE)
    return OnHost("its disk is full", (Run(begin, undo=("sh", "-c", UNDO, "sh", UNIT, FILE)),))


FULL = Fault("disk full", _full)
