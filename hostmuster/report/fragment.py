"""A value of which only the beginning or the end is left: whoever quotes something long cuts it, here or on a host.

Nobody who cuts knows what is secret, so what is left is found where all is redacted. A piece out of a value's middle,
cut off at both ends, is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

LEAST: Final = 12
"""Characters by which a cut value is known; of a short one three quarters, and no fewer than SHORTEST."""
SHORTEST: Final = 8

# As it is, with the escapes of JSON, or with those of a URL within a URL.
_URL: Final = re.compile(
    r"""(?P<scheme>[a-z][a-z0-9+.-]*(?: : | %3A)(?: \\*/ | %2F){2})
    (?: (?P<user>[^/@:%]*(?: : | %3A))? (?: (?!%40)[^/@])* (?P<place>(?: @ | %40).*) | (?P<host>[^/?\#%\\]*) )""",
    re.DOTALL | re.IGNORECASE | re.VERBOSE,
)

_QUOTE: Final = re.compile(r'(?<!\\)(\\\\)*"')


@dataclass(frozen=True)
class Cuttable:
    """A form in which a value is found, and the beginning and the end by which it is known where it was cut."""

    form: str
    head: str
    tail: str

    @classmethod
    def of(cls, form: str) -> Cuttable:
        """Both are the whole of it where less would tell nothing."""
        least = min(LEAST, max(SHORTEST, len(form) * 3 // 4))
        before, after = _public(form)
        short = len(form) <= before + least + after
        return cls(form, form, form) if short else cls(form, form[: before + least], form[-least - after :])

    @property
    def keys(self) -> tuple[str, str]:
        """One of these words stands in a text in which it does."""
        return self.head[:SHORTEST], self.tail[-SHORTEST:]

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """Where it stands, whole, or as far as its beginning or its end goes.

        It goes over no bare quote: in a line of JSON that ends the text, and the next one is another's.
        """
        size = len(self.form)
        for start, known in whole(text, self.head):
            end = start + _alike(text[start : start + size], self.form)
            yield start, next((quote.start() for quote in _QUOTE.finditer(text, known, end)), end)
        for known, end in whole(text, self.tail):
            start = end - _alike(text[max(end - size, 0) : end][::-1], self.form[::-1])
            yield max((quote.end() for quote in _QUOTE.finditer(text, start, known)), default=start), end


def whole(text: str, form: str) -> Iterator[tuple[int, int]]:
    """Where it stands uncut; finds may overlap."""
    at = text.find(form)
    while at >= 0:
        yield at, at + len(form)
        at = text.find(form, at + 1)


def _public(form: str) -> tuple[int, int]:
    """How many characters of its beginning and of its end anybody may know: of a URL all but a password or a path."""
    url = _URL.match(form)
    if url is None:
        return 0, 0
    if url["place"] is None:
        return url.end("host"), 0
    return max(url.end("user"), url.end("scheme")), len(url["place"])


def _alike(one: str, other: str) -> int:
    """How many of their first characters are the same."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
