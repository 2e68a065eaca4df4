"""A task's worktree: a folder on the disk of the host whose worker claimed it, and nowhere else (H9).

The action on it stands for whatever needs that folder: it tells what is in it. `python3 /opt/workload worktree ID`
does it for another host, which asks over SSH.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from pathlib import Path

FOLDER = Path("/srv/service/worktrees")
ELSEWHERE = "WORKLOAD_WORKTREES"
MOST = 200
"""Older ones go."""
EX_NOINPUT = 66


class Missing(Exception):
    """This host has no worktree of the task."""


def folder() -> Path:
    """Where they are."""
    return Path(os.environ.get(ELSEWHERE, FOLDER))


def make(task: str, worker: str) -> Path:
    """A new one for a task that was claimed, with its first file."""
    path = folder() / f"task-{task}"
    shutil.rmtree(path, ignore_errors=True)  # of a database before this one, which had a task of that number, too
    path.mkdir(mode=0o755)
    (path / "task.json").write_text(json.dumps({"task": task, "worker": worker}) + "\n")
    for old in sorted(folder().glob("task-*"), key=lambda one: int(one.name.removeprefix("task-")))[:-MOST]:
        shutil.rmtree(old)
    return path


def told(task: str) -> dict[str, object]:
    """What is in it: by file, the digest. Raises Missing."""
    path = folder() / f"task-{task}"
    if not path.is_dir():
        raise Missing(f"no worktree of task {task} is here")
    files = sorted(one for one in path.rglob("*") if one.is_file())
    digests = {str(one.relative_to(path)): hashlib.sha256(one.read_bytes()).hexdigest() for one in files}
    return {"id": task, "files": digests}


def main(task: str) -> int:
    """Tell it to whoever asked; the exit code."""
    try:
        print(json.dumps(told(task)))
    except Missing as error:
        print(error, file=sys.stderr)
        return EX_NOINPUT
    return 0
