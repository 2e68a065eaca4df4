"""Where the command `hostmuster` begins: a Ctrl-C is told in one line, also while the rest is still being imported."""

from __future__ import annotations

import os
import sys
from typing import NoReturn


def main() -> None:
    """Run the command line. Ends the process with an exit code of the contract (0 to 3)."""
    try:
        from hostmuster.tasks.program import main as run

        run()
    except KeyboardInterrupt:
        interrupted()


def interrupted() -> NoReturn:
    """Says so. Not sys.exit: Python would end by the signal where it came while a dataclass was being made."""
    print("interrupted", file=sys.stderr, flush=True)
    os._exit(1)


if __name__ == "__main__":
    main()
