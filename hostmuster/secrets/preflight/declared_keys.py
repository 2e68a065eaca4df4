"""Key material and its rules in plain environment variables: what no replica may be given (K2, K3, H23)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from hostmuster.errors import InputError, Problem
from hostmuster.secrets import ring_text
from hostmuster.secrets.preflight.environment import Environment

INLINE = "RUNTIME_RSA_PRIVATE_KEY"
FILE = "RUNTIME_RSA_PRIVATE_KEY_FILE"
KID = "RUNTIME_RSA_KEY_ID"
PREVIOUS = "RUNTIME_RSA_PREVIOUS_KEYS"
AUTO = "RUNTIME_RSA_ALLOW_AUTO_GENERATE"

_SECRET = re.compile(r"AI_SECRET_ENCRYPTION_KEY|RENDER_SERVICE_CREDENTIAL|S3_\w*SECRET\w*")
_TO_STORE = "set it with secrets.set, and take it out of the fleet file: it is in git's history and to be replaced"


def wrong_with(one: Environment) -> Iterator[Problem]:
    """What is wrong with one replica of several, by variable; values are not shown."""
    if one.switch(AUTO):
        yield Problem(one.where(AUTO), "each replica would make a signing key of its own", "set it to false")
    if FILE in one.values and (INLINE in one.values or INLINE in one.given):
        yield Problem(one.where(INLINE), f"it shadows {FILE}: the inline key wins (K2)", "keep the file")
    for name in one.values:
        if name == INLINE or _SECRET.fullmatch(name):
            yield Problem(one.where(name), "a secret in clear in the fleet file", _TO_STORE)
    if re.match(r"[a-z+]+://[^/]*:[^/@]+@", one.values.get("REDIS_URL", "")):
        yield Problem(one.where("REDIS_URL"), "a password in clear in the fleet file", _TO_STORE)
    if PREVIOUS in one.values:
        yield from _previous(one)


def _previous(one: Environment) -> Iterator[Problem]:
    where, remedy = one.where(PREVIOUS), "leave it out: a ring is kept in the store, kind rsa-signing-ring"
    try:
        listed = ring_text.json_of(one.values[PREVIOUS], where)
    except InputError as error:
        yield from error.problems
        return
    if not isinstance(listed, list):
        yield Problem(where, "JSON, but not a list of keys", remedy)
        return
    kids = [str(entry.get("kid", "")) if isinstance(entry, dict) else "" for entry in listed]
    if any(isinstance(entry, dict) and "private_key" in entry for entry in listed):
        yield Problem(where, "a secret in clear in the fleet file", _TO_STORE)
    if "" in kids:
        yield Problem(where, "an entry without a kid", remedy)
    if any(times > 1 for kid, times in Counter(kids).items() if kid):
        yield Problem(where, "one kid stands there twice (K3)", remedy)
    if one.values.get(KID) in kids:
        yield Problem(where, f"the kid of {KID} stands there too: the service refuses to start (K3)", remedy)
