"""Somebody who verifies tokens by a copy of the published keys: how it is asked what it knows (K4)."""

from __future__ import annotations

import json
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from hostmuster.item import Answer
from hostmuster.model.fleet import Host
from hostmuster.model.types import Seconds, wrong
from hostmuster.secrets.published import Jwks
from hostmuster.secrets.ring import Ring

Label = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,40}$", examples=["runtime"])]
Url = Annotated[str, Field(pattern=r"^https?://[^\s']+$", examples=["http://{address}:8080/token"])]


class Way(BaseModel):
    """`url`, or a command `run` on the host, tells which keys it knows: a JWKS, JSON with a list `kids`, or kids, one
    a line. `{address}` in the URL is the host's. `cache_s`: so old may its copy be before it reads them anew.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: Url | None = None
    run: tuple[str, ...] = ()
    cache_s: Seconds = 300.0

    @model_validator(mode="after")
    def _one_way(self) -> Way:
        if bool(self.url) == bool(self.run):
            raise wrong("a consumer is asked by `url` or by `run`", "write one of the two")
        return self

    def question(self, host: Host) -> tuple[str, ...]:
        """What is asked on a host."""
        if self.url is None:
            return self.run
        return ("curl", "-q", "-fsS", "-m", "5", "--noproxy", "*", self.url.replace("{address}", host.address))


def known(answer: Answer, ring: Ring) -> frozenset[str] | None:
    """The ring's keys that it tells of, by their words; None where it told nothing.

    A JWKS tells a key from another one under the same kid; a list of kids does not.
    """
    if answer.status != 0:
        return None
    try:
        return frozenset(key.word for key in Jwks.model_validate_json(answer.output).keys)
    except ValidationError:
        kids = _kids(answer.output)
    return frozenset(key.word for key in ring.keys if key.kid in kids)


def _kids(text: str) -> set[str]:
    try:
        document = json.loads(text)
    except ValueError:
        return {word for line in text.splitlines() for word in line.split()[:1]}
    listed = (document.get("kids") or document.get("keys") or []) if isinstance(document, dict) else document
    found = (one.get("kid") if isinstance(one, dict) else one for one in (listed if isinstance(listed, list) else []))
    return {kid for kid in found if isinstance(kid, str)}
