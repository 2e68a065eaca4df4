"""Field types for settings: each takes one spelling, and says what to write instead of any other.

For items' settings models and for the fleet file itself. All of them are plain `str` or numbers once read.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?")
_USER = re.compile(r"[a-z_][a-z0-9_-]{0,30}")
_ENV = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_UNIT = re.compile(r"[A-Za-z0-9:_.@-]+\.(service|timer|socket|path|target|mount)")
_OWN_NAMES = frozenset(("localhost", "ip6-localhost", "ip6-loopback", "ip6-allnodes", "ip6-allrouters"))
_MODE = re.compile(r"[0-7]{4}")


def wrong(what: str, remedy: str) -> PydanticCustomError:
    """The error a field type or an item's validator raises: what is wrong, and what to write instead."""
    return PydanticCustomError("wrong", "{what}", {"what": what, "remedy": remedy})


def matching(form: re.Pattern[str], noun: str, remedy: str, shown: int = 60) -> AfterValidator:
    """A text of this form as a whole; of any other the error says that it is NOUN, as in `no zone`.

    `shown`: so many characters of it stand in the message.
    """

    def checked(value: str) -> str:
        if not form.fullmatch(value):
            raise wrong(f"`{value[:shown]}` is {noun}", remedy)
        return value

    return AfterValidator(checked)


def _label(value: str, noun: str) -> str:
    if len(value) > 63:
        raise wrong(f"the {noun} `{value[:20]}...` has {len(value)} characters", "use at most 63")
    if _LABEL.fullmatch(value):
        return value
    better = re.sub(r"[^a-z0-9]+", "-", value.lower()).strip("-")
    example = f": `{better}`" if better else ""
    raise wrong(
        f"the {noun} `{value}` is not a host name's label (RFC 1123)",
        f"use a-z, 0-9 and, inside only, `-`; no capitals, underscores or dots{example}",
    )


def _host_name(value: str) -> str:
    if value in _OWN_NAMES:
        raise wrong(f"`{value}` is what every host calls itself", "name the host for the others: for example worker-1")
    return _label(value, "host name")


def _role_name(value: str) -> str:
    return _label(value, "role name")


def _fleet_name(value: str) -> str:
    return _label(value, "fleet name")


def _absolute_path(value: str) -> str:
    unseen = next((c for c in value if c.isspace() or unicodedata.category(c) in ("Cc", "Cf", "Cs")), None)
    if unseen is not None:
        noun = "a space" if unseen == " " else "a line break" if unseen in "\r\n" else f"U+{ord(unseen):04X}"
        raise wrong(f"{noun} in the path {value!r}", "use a path without blanks and invisible characters")
    if not value.startswith("/"):
        raise wrong(f"the path `{value}` is not absolute", "write it from the root: /...")
    parts = value.split("/")[1:]
    if ".." in parts or "." in parts:
        raise wrong(f"`.` or `..` in the path `{value}`", "write the path it leads to")
    if "" in parts:
        cleaned = "/" + "/".join(part for part in parts if part)
        raise wrong(f"an empty part in the path `{value}`", f"no `//`, no `/` at the end: {cleaned}")
    if len(value.encode()) > 4095 or any(len(part.encode()) > 255 for part in parts):
        raise wrong(f"the path `{value[:40]}...` is too long", "at most 4095 bytes, 255 for each part")
    return value


def _mode(value: object) -> str:
    if isinstance(value, str) and _MODE.fullmatch(value):
        return value
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        raise wrong("a file mode is four octal digits in quotes", 'write for example "0640"')
    digits = str(value).removeprefix("0o")
    better = f'"{digits.zfill(4)}"' if re.fullmatch(r"[0-7]{1,4}", digits) else 'for example "0640"'
    if isinstance(value, str):
        raise wrong(f"`{value}` is not a file mode", f"write four octal digits in quotes: {better}")
    raise wrong(f"the file mode {value} is a number", f"a mode is octal text, since a number is decimal: {better}")


def _user_name(value: str) -> str:
    if not _USER.fullmatch(value):
        raise wrong(
            f"`{value}` is not a user's or group's name",
            "begin with a-z or _, go on with a-z, 0-9, _ and -, at most 31 characters",
        )
    return value


def _env_name(value: str) -> str:
    if not _ENV.fullmatch(value):
        raise wrong(f"`{value}` is not a variable's name", "use letters, digits and _, no digit first")
    return value


def _unit_name(value: str) -> str:
    if not _UNIT.fullmatch(value) or len(value) > 255:
        raise wrong(
            f"`{value[:60]}` is not a unit's name",
            "write it with its kind: app.service, app.timer; letters, digits, `:_.@-`",
        )
    return value


HostName = Annotated[str, AfterValidator(_host_name), Field(examples=["worker-1"])]
"""One label of RFC 1123 in lower case, at most 63 characters, no dots: it becomes the host's own name."""
RoleName = Annotated[str, AfterValidator(_role_name), Field(examples=["worker"])]
"""As HostName, since a role is a group's name in other tools too."""
FleetName = Annotated[str, AfterValidator(_fleet_name), Field(examples=["lab"])]
"""As HostName, since it is a file's stem and an argument."""
AbsolutePath = Annotated[str, AfterValidator(_absolute_path), Field(examples=["/srv/app"])]
"""A normalised absolute path without blanks. Whether a root of its kind is allowed is checked elsewhere."""
Mode = Annotated[str, BeforeValidator(_mode), Field(examples=["0640"])]
"""Four octal digits as quoted text. A number is refused: 0644 is 420 to YAML 1.1 and 644 to YAML 1.2."""
UserName = Annotated[str, AfterValidator(_user_name), Field(examples=["app"])]
"""A user or group as adduser and systemd both take it (systemd: User/Group Name Syntax, strict mode)."""
EnvName = Annotated[str, AfterValidator(_env_name), Field(examples=["APP_PORT"])]
"""A variable's name that sh, systemd and docker all carry."""
UnitName = Annotated[str, AfterValidator(_unit_name), Field(examples=["app.service"])]
"""A systemd unit with its kind, without escapes (systemd.unit(5))."""
Port = Annotated[int, Field(ge=1, le=65535, examples=[8080])]
"""A TCP or UDP port."""
Seconds = Annotated[float, Field(gt=0, le=86400 * 366, allow_inf_nan=False, examples=[30])]
"""A duration in seconds, over 0."""
