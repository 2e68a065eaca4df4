"""Environment files (0600) hold the declared values, each in its reader's own grammar, and processes run with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from pydantic import BaseModel, ConfigDict, Field, model_validator

from hostmuster.effects import environment
from hostmuster.effects.files import kept_from_others
from hostmuster.env.file import Consumer, refusals, render
from hostmuster.env.variable import EnvValue
from hostmuster.item import Effect, Item
from hostmuster.model.fleet import Host
from hostmuster.model.types import AbsolutePath, EnvName, UnitName, UserName, wrong
from hostmuster.resources.alike import Alike
from hostmuster.resources.directory import Directory
from hostmuster.resources.file import File, Grammar
from hostmuster.resources.resource import Resource
from hostmuster.resources.used_paths import of_values


class EnvFile(BaseModel):
    """One file for one consumer. `restarts`: the units that read it, restarted when a value changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: AbsolutePath
    consumer: Consumer
    owner: UserName = "root"
    group: UserName = "root"
    restarts: tuple[UnitName, ...] = ()
    values: dict[EnvName, EnvValue] = Field(min_length=1)

    @model_validator(mode="after")
    def _can_be_carried(self) -> EnvFile:
        refused = list(refusals(self.consumer, self.values))
        if refused:
            raise wrong(f"{self.consumer} cannot carry: {'; '.join(refused)}", "change the value or its consumer")
        return self


class EnvFiles(BaseModel):
    """By a name of the operator's choice, so that roles and hosts can change single values of a file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    files: dict[str, EnvFile] = {}
    deadline_s: float = Field(default=15, gt=0)


ITEM = Item("env_files", settings=EnvFiles)
GRAMMARS: Mapping[Consumer, Grammar | None] = {"systemd": "systemd-environment", "shell": "shell", "docker": None}
"""docker reads a line as it stands: there is nothing to parse."""


def resources(host: Host) -> Iterator[Resource]:
    """The folder each file lies in, where that is the file's own, and the file."""
    files = settings(host).files.values()
    for folder in dict.fromkeys(file.path.rpartition("/")[0] for file in files):
        if folder not in ("/etc", "/etc/default"):
            yield Directory(folder)
    for file in files:
        content, lint = render(file.consumer, file.values), GRAMMARS[file.consumer]
        yield File(file.path, content, "0600", file.owner, file.group, restarts=file.restarts, lint=lint)


def effects(host: Host) -> Iterator[Effect]:
    """Nobody else reads them. systemd's readers by their running process, the shell's by a shell."""
    files = settings(host).files.values()
    if files:
        yield kept_from_others([file.path for file in files])
    for file in files:
        match file.consumer:
            case "systemd":
                for unit in file.restarts:
                    yield environment.of_process(unit, file.path, file.values, settings(host).deadline_s)
            case "shell":
                yield environment.of_shell(file.path, file.values)


def alike(host: Host) -> Iterator[Alike]:
    """What values name lies on all hosts of a role or on none: no step relies on one host's disk (H11)."""
    for file in settings(host).files.values():
        yield from of_values(file.values.values())


def settings(host: Host) -> EnvFiles:
    """This item's settings for the host; the units item reads there which files a unit is given."""
    return cast("EnvFiles", host.settings(ITEM.name))
