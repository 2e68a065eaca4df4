"""The service's folders are there: home template, seed, repositories, tenants; what is one host's own stays its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from pydantic import BaseModel, ConfigDict, model_validator

from hostmuster.effects.files import may_write
from hostmuster.env.variable import EnvValue
from hostmuster.item import Effect, Item
from hostmuster.model.fleet import Host
from hostmuster.model.types import AbsolutePath, Mode, UserName, wrong
from hostmuster.resources.directory import Directory
from hostmuster.resources.file import File
from hostmuster.template import Declared, Templated, Tree

if TYPE_CHECKING:
    from deploys.items import access


class Place(BaseModel):
    """Who a path belongs to; the service user where nobody is named."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    mode: Mode
    owner: UserName | None = None
    group: UserName | None = None


class Folder(Place):
    """A directory. What the service puts there is left alone."""

    mode: Mode = "0750"


class Single(Place):
    """A file from a template below templates/workspace."""

    mode: Mode = "0640"
    template: str
    values: dict[str, EnvValue] = {}


class Copied(Place):
    """Every file of a folder below templates/workspace; `mode` is the folders', `file_mode` the files'."""

    mode: Mode = "0750"
    file_mode: Mode = "0640"
    folder: str
    values: dict[str, EnvValue] = {}


class Workspace(BaseModel):
    """By path. `local_state`: names of files that are one host's own: never copied, never drift (H6)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    directories: dict[AbsolutePath, Folder] = {}
    trees: dict[AbsolutePath, Copied] = {}
    files: dict[AbsolutePath, Single] = {}
    local_state: frozenset[str] = frozenset({"host-state.json", "autoscaler-state.json"})

    @model_validator(mode="after")
    def _local_state_is_not_declared(self) -> Workspace:
        own = [path for path in self.files if path.rpartition("/")[2] in self.local_state]
        if own:
            raise wrong(f"{', '.join(own)} is a host's own state", "take it out of `files`, or out of `local_state`")
        return self


ITEM = Item("workspace", settings=Workspace)


def resources(host: Host) -> Iterator[Declared]:
    """Directories from the top down, then what lies in them."""
    want = cast("Workspace", host.settings(ITEM.name))
    for path, folder in sorted(want.directories.items()):
        yield Directory(path, folder.mode, *_owner(host, folder))
    for path, tree in want.trees.items():
        source = f"workspace/{tree.folder}"
        yield Tree(path, source, *_owner(host, tree), tree.file_mode, tree.mode, want.local_state, tree.values)
    for path, single in want.files.items():
        file = File(path, b"", single.mode, *_owner(host, single))
        yield Templated(file, f"workspace/{single.template}", single.values)


def effects(host: Host) -> Iterator[Effect]:
    """Each owner may write in its folders."""
    want = cast("Workspace", host.settings(ITEM.name))
    folders: dict[str, list[str]] = {}
    for path, folder in sorted(want.directories.items()):
        if int(folder.mode[1]) & 2:
            folders.setdefault(_owner(host, folder)[0], []).append(path)
    yield from (may_write(owner, paths) for owner, paths in folders.items())


def _owner(host: Host, place: Place) -> tuple[str, str]:
    owner = place.owner or cast("access.Settings", host.settings("access")).service
    return owner, place.group or owner
