"""A service that signs with a ring: how it is asked, and what its answers prove of the process that gave them (K8)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from hostmuster.item import Answer
from hostmuster.model.fleet import Host
from hostmuster.model.types import RoleName, Seconds, UnitName
from hostmuster.secrets.consumer import Label, Url, Way
from hostmuster.secrets.published import Jwks, PublishedKey, decoded
from hostmuster.secrets.ring import Serves

# The process is asked, never a file. A token lives for seconds, and only its check leaves this program.
_ASK: Final = """\
unit=$1 jwks=$2 token=$3
systemctl is-active -q "$unit" || exit 3
curl -q -fsS -m 5 --noproxy '*' "$jwks" | tr -d '\\n' && echo || exit 4
curl -q -fsS -m 5 --noproxy '*' "$token" | tr -d '\\n' && echo || exit 4
systemctl show -p ActiveEnterTimestampMonotonic --value "$unit" && cat /proc/uptime"""


class Issuer(BaseModel):
    """`jwks` answers the published keys, `token` a JSON object with a fresh token under `token`; `verify` takes a token
    as a request's body, and answers 200 for one that it takes. `{address}` in them is the host's.

    `token_life_s`: the longest life of a token where it is not the one that docs/rotation.md derives.
    `consumers`: others on this host who verify by a copy of the published keys, by a name of your choice.
    `beside`: only in a fleet that has hosts of this role.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    unit: UnitName
    jwks: Url
    token: Url
    verify: Url | None = None
    token_life_s: Seconds | None = None
    consumers: dict[Label, Way] = {}
    beside: RoleName | None = None

    def question(self, host: Host) -> tuple[str, ...]:
        """What is asked on a host."""
        urls = (url.replace("{address}", host.address) for url in (self.jwks, self.token))
        return ("sh", "-c", _ASK, "sh", self.unit, *urls)


@dataclass(frozen=True)
class Served:
    """What a process was seen to do, and for how many seconds it has run. `why`: the reason where nothing was seen."""

    serves: Serves | None
    for_s: float = 0.0
    why: str = ""
    published: tuple[PublishedKey, ...] = ()
    token: str = field(default="", repr=False)

    def takes(self, other: Served) -> bool:
        """Whether a token of another replica is signed with a key that this one publishes."""
        return any(key.kid == _kid(other.token) and key.signed(other.token) for key in self.published)


class _Token(BaseModel):
    token: str


def served(answer: Answer) -> Served:
    """From the answers. A key is told by kid and thumbprint, so another one under the same kid is another."""
    lines = answer.output.splitlines()
    if answer.status != 0 or len(lines) != 4:
        return Served(None, why=(lines or [f"exit {answer.status}"])[-1][-200:])
    try:
        published = Jwks.model_validate_json(lines[0]).keys
        token = _Token.model_validate_json(lines[1]).token
    except ValidationError:
        return Served(None, why="its answers are no JWKS and no token")
    signer = next((key for key in published if key.kid == _kid(token)), None)
    if signer is None or not signer.signed(token):
        return Served(None, why="it does not publish the key that signed its own token")
    began, now = float(lines[2]) / 1e6, float(lines[3].split()[0])
    serves = Serves(signer.word, frozenset(key.word for key in published))
    return Served(serves, now - began, published=tuple(published), token=token)


def _kid(token: str) -> str | None:
    try:
        header = json.loads(decoded(token.partition(".")[0]))
    except ValueError:
        return None
    kid = header.get("kid") if isinstance(header, dict) else None
    return kid if isinstance(kid, str) else None
