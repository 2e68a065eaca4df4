"""A project: the folder with inventory/, from which every other path is found."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hostmuster.errors import Refused


@dataclass(frozen=True)
class Project:
    """Where one user's fleets, items, templates and secrets lie."""

    root: Path
    recorded: Path | None = None
    """Where runs are recorded, if not in `reports/`."""

    @classmethod
    def find(cls, start: Path | None = None) -> Project:
        """The nearest folder upward from `start` (default: the working directory) that holds inventory/.

        Raises Refused when there is none.
        """
        origin = absolute(start or Path()).resolve()
        for folder in (origin, *origin.parents):
            if (folder / "inventory").is_dir():
                return cls(folder)
        raise Refused(
            "no project here: no folder named inventory in it or above it",
            where=str(origin),
            remedy="go to the project's folder, or give it with --project DIR",
        )

    def fleet_file(self, fleet: str) -> Path:
        """The YAML file that declares a fleet."""
        return self.root / "inventory" / f"{fleet}.yml"

    def known_hosts(self, fleet: str) -> Path:
        """The pinned host keys of a fleet, in OpenSSH's known_hosts format."""
        return self.root / "inventory" / "known_hosts" / fleet

    @property
    def secrets(self) -> Path:
        """The SOPS store's folder (ciphertext only)."""
        return self.root / "secrets"

    @property
    def templates(self) -> Path:
        """Jinja2 templates, one folder an item."""
        return self.root / "templates"

    @property
    def reports(self) -> Path:
        """Journals, evidence and benchmarks of runs (never in git)."""
        return self.recorded or self.root / "reports"


def absolute(path: Path) -> Path:
    """A path as it was typed, made absolute. Raises Refused in a working directory that has been deleted."""
    try:
        return path.absolute()
    except FileNotFoundError:
        remedy = "go to the project's folder, and type it again"
        raise Refused("the working directory has been deleted", remedy=remedy) from None


def fleet_text(fleet: str, where: str = "--fleet") -> str:
    """A fleet's name as it was typed, which may be bytes that are no text. Raises Refused for those."""
    try:
        fleet.encode()
    except UnicodeEncodeError as error:
        remedy = "use a-z, 0-9 and, inside only, `-`"
        raise Refused("the fleet's name is not UTF-8 text", where=where, remedy=remedy) from error
    return fleet
