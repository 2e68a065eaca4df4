"""`make soak`: the lab's seven hosts under random faults, one after the other, for minutes; nothing may be lost.

It types the commands a person would type, in the repository's own project. The whole of it stays under ten minutes.
"""

from __future__ import annotations

import sys
from itertools import chain

from rich.console import Console

from hostmuster.lab.demo import Scene, play, secrets, shown

SECONDS = 240
MADE = (
    Scene("Seven hosts boot", ("lab.up",)),
    Scene("First contact as root, once", ("bootstrap",)),
    Scene("The same secrets on all hosts that read them", ("secrets.rollout",)),
    Scene("The checklist", ("apply",)),
)


def main() -> int:
    """The exit code: 0 or 1. Words after the module's name go to drill.soak (--seed N)."""
    return shown(_soak)


def _soak(console: Console) -> None:
    faults = ("drill.soak", "--seconds", str(SECONDS), *sys.argv[1:])
    for scene in chain(secrets(), MADE):
        play(console, scene)
    play(console, Scene("Random faults under load: nothing acknowledged is lost", faults))


if __name__ == "__main__":
    sys.exit(main())
