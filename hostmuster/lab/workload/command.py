"""What is started: the workload, the renderer, a worker, an act on the rows or on a worktree; one word says which."""

from __future__ import annotations

import sys

from . import migration, renderer, server, worker, worktree

EX_USAGE = 64


def main(words: list[str]) -> int:
    """The exit code."""
    match words:
        case []:
            return server.main()
        case ["renderer"]:
            return server.main(renderer.configured)
        case ["worker"]:
            return worker.main()
        case ["worktree", task] if task.isascii() and task.isdigit():
            return worktree.main(task)
        case [act] if act in migration.ACTS:
            return migration.main(act)
    print(
        f"usage: python3 /opt/workload [renderer | worker | worktree TASK | {' | '.join(migration.ACTS)}]",
        file=sys.stderr,
    )
    return EX_USAGE
