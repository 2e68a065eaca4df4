"""What a service that signs tokens does with the keys that its host's generation gives it (K3, K8)."""

from __future__ import annotations

from pydantic import BaseModel, ValidationError

from hostmuster.item import Answer, Effect, Seen
from hostmuster.secrets.generation import IDENTITY
from hostmuster.secrets.published import Jwks
from hostmuster.secrets.reader import CURRENT
from hostmuster.secrets.ring import Serves

_RING = f"grep '^ring '\"$1\"' ' {CURRENT}/{IDENTITY} || exit 1\n"
_PUBLISHED = _RING + 'curl -s -m 3 "$2"'
# The token goes by standard input: arguments are seen by everybody on the host.
_TURNED = _RING + (
    'curl -s -m 3 "$2/token" | sed -n \'s/.*"token": "\\([A-Za-z0-9._-]*\\)".*/\\1/p\' |\n'
    '    curl -s -m 3 --data-binary @- "$2/verify"'
)


class _Verdict(BaseModel):
    valid: bool
    kid: str = ""
    error: str = ""


def publishes(url: str, ring: str, deadline_s: float) -> Effect:
    """The keys at the URL (JWKS) are exactly those of the host's generation, by thumbprint and not by name alone."""

    def judge(answer: Answer) -> Seen:
        want, said = _parted(answer)
        if want is None:
            return Seen(False, f"the host's generation has no ring {ring}")
        try:
            served = frozenset(key.word for key in Jwks.model_validate_json(said).keys)
        except ValidationError:
            return Seen(False, "no keys there")
        return Seen(served == want.verifies, f"{_kids(served)}; the generation has {_kids(want.verifies)}")

    ask = ("sh", "-c", _PUBLISHED, "sh", ring, url)
    return Effect(f"{url} has the keys of {ring}", ask, judge, deadline_s=deadline_s)


def verifies_own(base: str, ring: str, deadline_s: float) -> Effect:
    """A token that it issues is signed with the key that is to sign, and taken by itself."""

    def judge(answer: Answer) -> Seen:
        want, said = _parted(answer)
        if want is None:
            return Seen(False, f"the host's generation has no ring {ring}")
        try:
            verdict = _Verdict.model_validate_json(said)
        except ValidationError:
            return Seen(False, "no token, or no verdict on it")
        seen = f"signed with {verdict.kid}" if verdict.valid else f"refused: {verdict.error[:80]}"
        return Seen(verdict.valid and verdict.kid == want.signs.partition("/")[0], seen)

    ask = ("sh", "-c", _TURNED, "sh", ring, base)
    return Effect(f"{base} signs with {ring} and verifies it", ask, judge, deadline_s=deadline_s)


def _parted(answer: Answer) -> tuple[Serves | None, str]:
    line, _, said = answer.output.partition("\n")
    words = line.split()
    if answer.status != 0 or len(words) < 3:
        return None, ""
    return Serves(words[2], frozenset(words[2:])), said


def _kids(words: frozenset[str]) -> str:
    return ", ".join(sorted(words)) or "none"
