"""Values that are no secrets: placeholders of sample files, and text without enough surprise in it (K1).

All of it is decided on the value alone; what is said names the sort of weakness, never the value.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise
from typing import Final

# Looked for in lower case, with everything but letters and digits taken out: CHANGE_ME is changeme.
_WORDS: Final = (
    "changeme",
    "changethis",
    "changeit",
    "replaceme",
    "replacethis",
    "placeholder",
    "example",
    "default",
    "yoursecret",
    "yourkey",
    "yourpassword",
    "secretkey",
    "supersecret",
    "notsecret",
    "insecure",
    "password",
    "letmein",
    "insertkey",
    "deadbeef",
    "storingpasswordsinplaintext",
)
_YOURS = re.compile(r"your[a-z0-9]*(key|secret|token|password|credential)")
_ANGLES = re.compile(r"<[^<>]*>|\{\{.*\}\}|\$\{.*\}|\$\(.*\)")


def placeholder(text: str) -> str | None:
    """Why the text is one that stands in a sample file for the real one; None where it is not."""
    if _ANGLES.search(text):
        return "a placeholder: brackets that were to be filled in"
    plain = re.sub(r"[^a-z0-9]", "", text.lower())
    if any(word in plain for word in _WORDS) or _YOURS.search(plain):
        return "a placeholder or default of a sample file"
    return None


def nothing_but_placeholder(text: str) -> str | None:
    """The same for text of any shape, which may hold such a word for good reasons, as a URL of example.net does."""
    if re.sub(r"[^a-z0-9]", "", text.lower()) in _WORDS or _ANGLES.fullmatch(text.strip()):
        return placeholder(text)
    return None


def regularity(value: bytes) -> str | None:
    """Why the bytes follow from a few of them; None where they do not."""
    if len(set(value)) == 1:
        return "one character or byte, repeated"
    if any(value[step:] == value[:-step] for step in range(1, len(value) // 2 + 1)):
        return "a short piece, repeated"
    steps = Counter((after - before) % 256 for before, after in pairwise(value))
    if max(steps[1], steps[255]) > len(value) // 2:
        return "characters or bytes that count up or down"
    return None


def surprise_bits(value: bytes) -> float:
    """An upper bound of what is to be guessed: the length times the entropy of how often each byte stands there."""
    shares = [count / len(value) for count in Counter(value).values()]
    return -len(value) * sum(share * math.log2(share) for share in shares)
