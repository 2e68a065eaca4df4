"""Before a commit: no secret in clear among what is staged."""

from __future__ import annotations

import sys
from pathlib import PurePosixPath

from invoke import Context, task

from hostmuster.errors import InputError
from hostmuster.secrets.chosen import in_vaults
from hostmuster.secrets.guard import findings, known_values
from hostmuster.secrets.place import store_path
from hostmuster.secrets.staged import staged, top_of
from hostmuster.tasks.place import PLACE, project_of


@task(auto_shortflags=False, help={"project": PLACE["project"]})
def guard(_context: Context, project: str = "") -> None:
    """Refuse staged files that hold a secret: plain text under secrets/, a known value anywhere. For git's hook."""
    where = project_of(project)
    known, closed = known_values(store_path(where, "any").parent, in_vaults(where))
    for store in closed:
        print(f"not searched for: values of {store}", file=sys.stderr)
    top = top_of(where.root)
    secrets = where.secrets.resolve()
    folder = PurePosixPath(secrets.relative_to(top)) if secrets.is_relative_to(top) else None
    problems = [problem for file in staged(top) for problem in findings(file, folder, known)]
    if problems:
        raise InputError(problems)
