"""AppArmor profiles are loaded and enforce, and are so again after a boot or an upgrade."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Literal, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, model_validator

from hostmuster.effects import apparmor
from hostmuster.env.variable import EnvValue
from hostmuster.item import Effect, Item
from hostmuster.model.fleet import Host
from hostmuster.model.types import AbsolutePath, UnitName, wrong
from hostmuster.resources.alike import Alike
from hostmuster.resources.apparmor_profile import FOLDER, AppArmorProfile, settle
from hostmuster.resources.content import CONTENT
from hostmuster.resources.file import File
from hostmuster.resources.package import Package
from hostmuster.resources.resource import Question
from hostmuster.resources.unit import Unit
from hostmuster.template import Declared, Templated

_FOLDERS = {"abi", "abstractions", "cache", "disable", "force-complain", "local", "tunables"}
_PASSED_OVER = (".dpkg-new", ".dpkg-old", ".dpkg-dist", ".dpkg-bak", ".rpmnew", ".rpmsave", ".orig", ".rej")
CHECK = ("apparmor_parser", "--skip-kernel-load", "--skip-cache", "--quiet")


def _name(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", value):
        raise wrong(f"`{value}` is no name for a profile", "use letters, digits and `._-`: it is its file's name too")
    if value in {*_FOLDERS, "unconfined", "README"} or value.endswith(_PASSED_OVER):
        raise wrong(f"`{value}` is no name for a profile: AppArmor reads it as something else", "take another name")
    return value


class Profile(BaseModel):
    """Its text, from a template below templates/apparmor or as it stands here.

    `attaches`: the program that is always run under it; without it, containers or units ask for it by name.
    `refused`: a command that only reads, succeeds on the host and must fail under it (asked by `verify --deep`).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    template: str | None = None
    values: dict[str, EnvValue | list[str]] = {}
    text: str | None = None
    attaches: AbsolutePath | None = None
    enforcing: bool = True
    refused: tuple[str, ...] = ()
    restarts: tuple[UnitName, ...] = ()

    @model_validator(mode="after")
    def _is_whole(self) -> Profile:
        if (self.template is None) == (self.text is None):
            raise wrong("a profile has either a template or a text", "give `template` or `text`")
        if self.refused and not self.enforcing:
            raise wrong("a profile that only complains refuses nothing", "leave out `refused`, or `enforcing: false`")
        return self


class AppArmor(BaseModel):
    """Profiles by name."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    profiles: dict[Annotated[str, AfterValidator(_name)], Profile] = {}


ITEM = Item("apparmor", settings=AppArmor, only_declared=True)


def resources(host: Host) -> Iterator[Declared]:
    """Each profile's file, checked by the host's own parser before it is in place, then the profile in the kernel."""
    yield Package("apparmor")
    lint = cast("Literal['apparmor-12', 'apparmor-13']", f"apparmor-{host.debian}")
    for name, want in settings(host).profiles.items():
        text = (want.text or "").encode()
        file = File(f"{FOLDER}/{name}", text, validate=CHECK, told=(settle(name),), lint=lint)
        if want.template is None:
            yield file
        else:
            values = {"name": name, "attaches": want.attaches, **want.values}
            yield Templated(file, f"apparmor/{want.template}", values)
        yield AppArmorProfile(name, want.enforcing, want.restarts)
    yield Unit("apparmor.service", active=None)


def effects(host: Host) -> Iterator[Effect]:
    """The kernel's own list; running programs; and, deep, what is refused and what was loaded."""
    profiles = settings(host).profiles
    yield apparmor.enforced({name: want.enforcing for name, want in profiles.items()})
    for name, want in profiles.items():
        if want.attaches is not None and not re.search(r"[*?{\[]", want.attaches):
            yield apparmor.confined(name, want.attaches)
        if want.refused:
            yield apparmor.refused(name, want.refused, by_path=want.attaches is not None)
    yield apparmor.as_written(tuple(profiles))


def alike(host: Host) -> Iterator[Alike]:
    """The same profile confines on one host and not on another where only one kernel has AppArmor."""
    question = Question(CONTENT, "/sys/module/apparmor/parameters/enabled")
    yield Alike("AppArmor in the kernel", question, lambda said: "enabled" if said == "Y" else "not enabled")


def settings(host: Host) -> AppArmor:
    """This item's settings for the host; containers find there which names they may ask for."""
    return cast("AppArmor", host.settings(ITEM.name))
