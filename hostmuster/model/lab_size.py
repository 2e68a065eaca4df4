"""How many hosts a lab was brought up with: the one place where that number is kept.

`lab.up --hosts N` writes it, `lab.down` removes it, load_fleet follows it; so every command, drill and plain
pyinfra see exactly the hosts that run. It lies beside the fleet file, never in git: inventory/NAME.hosts.
"""

from __future__ import annotations

from pathlib import Path

from hostmuster.errors import Refused
from hostmuster.project import Project


def chosen_size(project: Project, fleet: str) -> int | None:
    """The number of hosts the lab runs with; None when none was chosen. Raises Refused for a broken file."""
    file = _file(project, fleet)
    try:
        written = file.read_text(encoding="ascii", errors="replace").strip()
    except FileNotFoundError:
        return None
    if not written.isdigit() or int(written) < 1:
        raise Refused(f"`{written[:20]}` is no number of hosts", where=str(file), remedy="run lab.up again")
    return int(written)


def choose_size(project: Project, fleet: str, count: int) -> None:
    """Keep the number of hosts from now on (one rename, so no reader sees half of it)."""
    file = _file(project, fleet)
    fresh = file.with_suffix(".hosts.new")
    fresh.write_text(f"{count}\n", encoding="ascii")
    fresh.rename(file)


def forget_size(project: Project, fleet: str) -> None:
    """Back to the hosts of the fleet file."""
    _file(project, fleet).unlink(missing_ok=True)


def _file(project: Project, fleet: str) -> Path:
    return project.root / "inventory" / f"{fleet}.hosts"
