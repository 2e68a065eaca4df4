"""What is committed to a repository, or only staged, and what `secrets.guard` says of it."""

from __future__ import annotations

import subprocess
from pathlib import PurePosixPath

from hostmuster.secrets.guard import findings, known_values
from hostmuster.secrets.staged import staged

from ..conftest import ROOT, Operator

PASSWORD = 'correct/horse "battery" + staple'


def git(operator: Operator, *argv: str) -> subprocess.CompletedProcess[str]:
    who = ["-c", "user.name=ada", "-c", "user.email=ada@example.org"]
    environ = {**operator.environ, "GIT_CONFIG_NOSYSTEM": "1", "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        ["git", *who, *argv], cwd=operator.project.parent, env=environ, capture_output=True, text=True, check=False
    )


def add(operator: Operator, path: str, content: str | bytes) -> None:
    """A file of the project is staged."""
    file = operator.project / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    git(operator, "add", "--force", str(file))


def committed(operator: Operator, path: str, content: str | bytes) -> str:
    """What the commit said; empty when it was made."""
    add(operator, path, content)
    made = git(operator, "commit", "--quiet", "--message", "a change")
    assert "Traceback" not in made.stderr
    return made.stderr if made.returncode else ""


def found(operator: Operator, path: str, content: str | bytes) -> str:
    """What the hook's command would say of a staged file, asked in this process."""
    add(operator, path, content)
    known, closed = known_values(operator.path.parent)
    assert closed == []
    folder = PurePosixPath("project/secrets")
    return "\n".join(str(one) for each in staged(operator.project.parent) for one in findings(each, folder, known))
