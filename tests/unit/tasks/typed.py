"""The command line as somebody types it, in a process of its own; and a project to type it in."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def hostmuster(*words: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """The real command, without a terminal."""
    return subprocess.run(
        [sys.executable, "-m", "hostmuster.tasks.program", *words],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def declare(project: Path, fleet: str, line: str) -> None:
    """A project with one fleet of one host, declared with the line."""
    (project / "inventory").mkdir()
    host = "hosts:\n  web-1: {address: 10.213.7.9, debian: 12, roles: [web]}\n"
    (project / "inventory" / f"{fleet}.yml").write_text(f"fleet: {fleet}\n{line}\nroles:\n  web: {{}}\n{host}")
