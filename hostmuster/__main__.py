"""Where the command `hostmuster` begins: a Ctrl-C is told in one line, also while the rest is still being imported."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line. Ends the process with an exit code of the contract (0 to 3)."""
    try:
        from hostmuster.tasks.program import main as run

        run()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
