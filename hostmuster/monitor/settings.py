"""What a fleet file says of the monitor: the item monitor's settings."""

from __future__ import annotations

import re
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from hostmuster.model.types import AbsolutePath, matching, wrong

_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
_ORIGIN = re.compile(r"https?://([a-z0-9.-]+|\[[0-9a-f:]+\])(:(?P<port>[0-9]{1,5}))?")
_URL = re.compile(r"https?://[!-~]+")


def _mount(value: str) -> str:
    if value != "/" and not re.fullmatch(r"(/[^/\s]+)+", value):
        raise wrong(f"`{value[:60]}` is no mount", "write it from the root, as `findmnt` shows it: / or /var")
    return value


def _url(value: str) -> str:
    if not _URL.fullmatch(value):
        raise wrong(f"`{value[:60]}` is no URL", "write http:// or https://, without blanks")
    if "@" in value:
        raise wrong("a URL with credentials is a secret", "what is written here stands on the host's command lines")
    return value


def _origin(value: str) -> str:
    found = _ORIGIN.fullmatch(value)
    if found is None or int(found["port"] or 1) not in range(1, 65536):
        raise wrong(f"`{value[:60]}` is not scheme and host alone", "write for example https://hooks.example.net")
    return value


def _one_line(value: str) -> str:
    if not value.isprintable():
        raise wrong("a command of several lines", "put it into a script, and call that")
    return value


Mount = Annotated[str, AfterValidator(_mount)]
Label = Annotated[
    str,
    matching(_LABEL, "no name of a check", "one word of letters, digits, `.`, `_` and `-`"),
    Field(examples=["api"]),
]
Url = Annotated[str, AfterValidator(_url), Field(examples=["http://127.0.0.1:8080/health"])]
Command = Annotated[str, AfterValidator(_one_line), Field(min_length=1, examples=["test -S /run/app.sock"])]
Percent = Annotated[int, Field(ge=1, le=100)]


class Disk(BaseModel):
    """Percent in use at which a mount fails."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    space: Percent = 90
    inodes: Percent = 90


class Backup(BaseModel):
    """A backup that came to its end touches `marker`. It must come at least as often as `rpo_hours` may be lost."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    marker: AbsolutePath
    most_hours: Annotated[float, Field(gt=0, le=9000)]
    rpo_hours: Annotated[float, Field(gt=0)] | None = None

    @model_validator(mode="after")
    def _often_enough(self) -> Self:
        if self.rpo_hours is not None and self.most_hours > self.rpo_hours:
            what = f"a backup up to {self.most_hours:g} h old loses more than the {self.rpo_hours:g} h of rpo_hours"
            raise wrong(what, "back up more often and lower most_hours, or declare what may really be lost")
        return self


class Webhook(BaseModel):
    """`secret` names its address in the store, which begins with `origin`. `optional`: where the store has it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    secret: str = "monitor-webhook"  # noqa: S105 - a name
    origin: Annotated[str, AfterValidator(_origin), Field(examples=["https://hooks.example.net"])]
    optional: bool = False

    @property
    def host(self) -> str:
        """The name or address in `origin`."""
        return urlsplit(self.origin).hostname or ""

    @property
    def port(self) -> int:
        """The port in `origin`, or its scheme's."""
        return urlsplit(self.origin).port or (443 if self.is_encrypted else 80)

    @property
    def is_encrypted(self) -> bool:
        """Whether nobody on the way reads the address."""
        return self.origin.startswith("https:")


class Peers(BaseModel):
    """How often the next host is asked, after how long it counts as silent, how far its clock may be off; seconds."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    every_s: int = Field(default=60, ge=1, le=3600)
    silent_s: int = Field(default=180, ge=2, le=86400)
    skew_s: int = Field(default=2, ge=1, le=3600)


class Monitor(BaseModel):
    """`patience`: failed runs in a row before an alert. `restarts`: within ten minutes, of one unit, until it fails."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    interval_s: int = Field(default=60, ge=1, le=3600)
    patience: int = Field(default=2, ge=1, le=100)
    remind_hours: float = Field(default=24, ge=0, le=9000)
    restarts: int = Field(default=3, ge=1, le=1000)
    disks: dict[Mount, Disk] = {"/": Disk()}
    urls: dict[Label, Url] = {}
    commands: dict[Label, Command] = {}
    tls: tuple[AbsolutePath, ...] = ()
    expiry_days: int = Field(default=14, ge=1, le=3650)
    backups: dict[Label, Backup] = {}
    textfile: AbsolutePath | None = None
    webhook: Webhook | None = None
    peers: Peers | None = Peers()

    @model_validator(mode="after")
    def _times_fit(self) -> Self:
        if self.peers is None:
            return self
        if self.peers.every_s % self.interval_s:
            what = f"peers.every_s {self.peers.every_s} is no multiple of interval_s {self.interval_s}"
            raise wrong(what, "neighbours are asked in some of the timer's runs: each ssh costs CPU time")
        if self.peers.silent_s < 2 * self.peers.every_s:
            what = f"peers.silent_s {self.peers.silent_s} is below twice every_s {self.peers.every_s}"
            raise wrong(what, "one lost answer is not silence")
        return self
