"""What a task asks of the engine process: one JSON document, written to its standard input."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path

from hostmuster.errors import Refused
from hostmuster.looks import LOOKS
from hostmuster.operator import ask_sudo_password, holder
from hostmuster.project import Project, absolute, fleet_text


@dataclass(frozen=True)
class Options:
    """The options every fleet task has, as typed on the command line."""

    fleet: str | None = None
    limit: str | None = None
    json: bool = False
    yes: bool = False
    project: str | None = None
    ask_sudo: bool = False

    def job(self, command: str, hosts: tuple[str, ...] | None = None, **details: Detail) -> Job:
        """The job these options and a command's own details make.

        `hosts` is for commands that name theirs as an argument; without it `--limit` counts. Raises Refused
        outside a project, for an empty or doubled choice of hosts, for what is not UTF-8, and for --ask-sudo without a
        terminal.
        """
        if hosts is not None and self.limit is not None:
            named = ",".join(hosts)
            raise Refused(f"{named} is named already", where="--limit", remedy="leave out --limit")
        project = str(Project.find(Path(self.project) if self.project else None).root)
        fleet = self.fleet or os.environ.get("HOSTMUSTER_FLEET") or "lab"
        limit = hosts if hosts is not None else host_list(self.limit)
        require_text("--project", project)
        require_text("--limit" if hosts is None else "HOST", limit)
        for detail, value in details.items():
            require_text(WRITTEN.get(detail, "--" + detail.replace("_", "-")), value)
        return Job(
            command=command,
            project=project,
            fleet=fleet_text(fleet, "--fleet" if self.fleet else "$HOSTMUSTER_FLEET"),
            limit=limit,
            yes=self.yes,
            holder=holder(),
            sudo_password=ask_sudo_password("--ask-sudo") if self.ask_sudo else None,
            details=details,
        )


# Details that are not written as an option of their name.
WRITTEN = {"secret": "NAME", "drill": "NAME", "target": "--host"}

Detail = str | int | bool | tuple[str, ...] | None


@dataclass(frozen=True)
class Job:
    """One run of the engine. `details` are the command's own fields: item, canary, plan and the like."""

    command: str
    project: str
    fleet: str
    limit: tuple[str, ...] | None
    yes: bool
    holder: str
    sudo_password: str | None = field(repr=False)
    details: dict[str, Detail] = field(default_factory=dict)
    value: str | None = field(default=None, repr=False)

    @property
    def only_looks(self) -> bool:
        """Whether it changes no host."""
        return self.command in LOOKS

    def to_json(self) -> str:
        """The document the engine reads. It may hold the sudo password or a secret: for its standard input only."""
        fields = asdict(self)
        details = {name: detail for name, detail in fields.pop("details").items() if detail is not None}
        return json.dumps({**details, **fields})


def host_list(text: str | None, option: str = "--limit") -> tuple[str, ...] | None:
    """The hosts of `--limit A,B`; None when it was not given. Raises Refused when it names none."""
    if text is None:
        return None
    hosts = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not hosts:
        raise Refused("no host is named", where=option, remedy=f"write {option} HOST,HOST, or leave it out")
    return hosts


def require_text(option: str, value: Detail) -> None:
    """Raises Refused for what is not UTF-8: a shell passes any bytes on, the engine takes text."""
    for part in value if isinstance(value, tuple) else (value,):
        try:
            str(part).encode()
        except UnicodeEncodeError as error:
            raise Refused(f"{part!a} is not UTF-8", where=option, remedy="write it in UTF-8") from error


def positive(option: str, text: str | None) -> int | None:
    """A whole number above 0 as an option's value; None when it was not given. Raises Refused."""
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise Refused(f"{text!r} is not a whole number above 0", where=option, remedy=f"write for example {option} 2")
    return int(text)


def path(text: str | None) -> str | None:
    """A file named on the command line, absolute, since the engine's working directory is its own affair."""
    return None if text is None else str(absolute(Path(text)))
