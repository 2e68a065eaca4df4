"""Paths that are public: what may be declared, and what stays inside whatever is declared (H13)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from hostmuster.model.types import wrong

_SEGMENT = re.compile(r"[A-Za-z0-9._~-]+")
INSIDE = ("/admin", "/internal")
"""For the ingress and the hosts alone."""


def _path(value: str) -> str:
    shown = ascii(value[:60])
    if not value.startswith("/"):
        raise wrong(f"the path {shown} does not begin with `/`", "write it from the root: /tasks")
    if value == "/":
        raise wrong("`/` would make everything public", "declare each path that is: /tasks, /oauth/")
    segments = value.removesuffix("/").split("/")[1:]
    odd = next((one for one in segments if not _SEGMENT.fullmatch(one) or one in (".", "..")), None)
    if odd is not None:
        what = "an empty part" if not odd else f"`{ascii(odd)[1:-1]}`"
        raise wrong(f"{what} in the path {shown}", "plain segments: letters, digits, `.`, `_`, `~` and `-`")
    return value


def _public(value: str) -> str:
    clash = next((one for one in INSIDE if f"{value.removesuffix('/')}/".startswith(f"{one}/")), None)
    if clash is not None:
        raise wrong(
            f"{value} is below {clash}, which is never public", "reach it from inside, at the server's own port"
        )
    return value


UrlPath = Annotated[str, AfterValidator(_path), Field(examples=["/health/ready"])]
"""A path of a URL in plain signs."""
PublicPath = Annotated[UrlPath, AfterValidator(_public), Field(examples=["/tasks"])]
"""`/tasks`: that path and all below it; `/oauth/`: all below it."""


class Location(BaseModel):
    """`exact`: this path alone, nothing below it. `body_kb`: the largest request, in KiB."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    exact: bool = False
    body_kb: int = Field(default=1024, ge=1, le=1 << 20)


def matches(path: str, location: Location) -> Iterator[str]:
    """As nginx says it (ngx_http_core_module, location). A prefix is one of whole segments: /tasks is no /tasks-old."""
    if location.exact or not path.endswith("/"):
        yield f"= {path}"
    if not location.exact:
        yield f"^~ {path.removesuffix('/')}/"


def covers(path: str, location: Location, asked: str) -> bool:
    """Whether a declared location answers this path."""
    below = not location.exact and asked.startswith(f"{path.removesuffix('/')}/")
    return below or (asked == path and (location.exact or not path.endswith("/")))
