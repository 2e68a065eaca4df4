"""Redaction by value: known secret values, in every form they take on the way to a log, never come out.

Whatever writes for people or disk (journal, reports, exceptions, logs) goes through a Redaction that
knows the store's confidential values. It finds the value itself, each of its lines, and both as JSON, Python,
shell, HTML and URL escapes, in hexadecimal and in base64 at any offset (as in `Authorization: Basic`); and what is
left of it where somebody cut it.
"""

from __future__ import annotations

import base64
import html
import json
import logging
import re
import shlex
import traceback
import urllib.parse
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from hostmuster.report.fragment import SHORTEST as SHORTEST_FRAGMENT
from hostmuster.report.fragment import Cuttable, whole
from hostmuster.secrets.value import Secret

MARK: Final = "[redacted]"
SHORTEST: Final = 4  # characters; the store takes nothing shorter
SHORTEST_LINE: Final = 8  # a shorter line of a longer value is not a secret of its own: it may be `}`

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

_FRAME = re.compile(r"-----(BEGIN|END) [A-Z0-9 ]+-----")
_WRAPS = (64, 70, 76)  # columns: PEM, OpenSSH, MIME and base64(1)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)


class Redaction:
    """Replaces known values in text by MARK. Values can be added while it is in use."""

    def __init__(self, secrets: Iterable[Secret] = ()) -> None:
        self._forms: set[str] = set()
        self._cuttable: dict[str, set[Cuttable]] = {}
        for secret in secrets:
            self.add(secret)

    def add(self, secret: Secret) -> None:
        """From now on this value is redacted too: all generations that are known, not the newest alone."""
        if len(secret) >= SHORTEST:
            lines = _line_forms(secret.reveal())
            cuttable = {form for form in lines if len(form) >= SHORTEST_FRAGMENT}
            forms = (lines | _whole_forms(secret.reveal())) - cuttable
            self._forms |= {form for form in forms if len(form) >= SHORTEST}
            for one in map(Cuttable.of, cuttable):
                for key in one.keys:
                    self._cuttable.setdefault(key, set()).add(one)

    def places(self, text: str) -> list[tuple[int, int]]:
        """Where known values stand in it uncut, in whatever form, from first to last; they may overlap."""
        forms = self._forms | {one.form for some in self._cuttable.values() for one in some}
        return sorted(span for form in forms for span in whole(text, form))

    def apply(self, text: str) -> str:
        """The text without a known value or what is left of one; overlapping finds become one mark. JSON stays JSON."""
        found = [span for form in self._forms for span in whole(text, form)]
        # There are thousands, and hardly ever one of them stands there: not each is looked for by itself.
        words = {text[at : at + SHORTEST_FRAGMENT] for at in range(len(text))} & self._cuttable.keys()
        there = {one for word in words for one in self._cuttable[word]}
        found += [span for one in there for span in one.places(text)]
        spans = sorted(_whole_escapes(text, found))
        shown: list[str] = []
        at = 0
        for start, end in spans:
            if start >= at:
                shown += [text[at:start], MARK]
            at = max(at, end)
        return "".join([*shown, text[at:]])

    def data(self, value: Json) -> Json:
        """The same for a JSON document, keys included, before it is written."""
        if isinstance(value, str):
            return self.apply(value)
        if isinstance(value, list):
            return [self.data(one) for one in value]
        if isinstance(value, Mapping):
            return {self.apply(key): self.data(one) for key, one in value.items()}
        return value

    def traceback(self, error: BaseException) -> str:
        """The traceback of an exception and its causes as text."""
        return self.apply("".join(traceback.format_exception(error)))


class RedactingFilter(logging.Filter):
    """For a logging handler: message and traceback of every record are redacted before it is formatted."""

    def __init__(self, redaction: Redaction) -> None:
        super().__init__()
        self._redaction = redaction

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrites the record; never drops one."""
        record.msg, record.args = self._redaction.apply(record.getMessage()), ()
        if record.exc_info and record.exc_info[1]:
            record.exc_text = self._redaction.traceback(record.exc_info[1]).rstrip("\n")
            record.exc_info = None
        return True


def _whole_escapes(text: str, spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The spans with the backslash escapes they begin or end within: half of one would break a JSON line."""
    escapes = [escape.span() for escape in _ESCAPE.finditer(text)] if spans and "\\" in text else []
    inside = {at: span for span in escapes for at in range(span[0] + 1, span[1])}
    for start, end in spans:
        yield inside.get(start, (start,))[0], inside.get(end, (end,))[-1]


def _whole_forms(raw: bytes) -> set[str]:
    """Every text in which the value is taken for found."""
    return {form for part in (raw, raw.strip()) for form in _forms(part)}


def _line_forms(raw: bytes) -> set[str]:
    """The same of each of its lines. A PEM's frame is no part of what is secret."""
    lines = {line.strip() for line in raw.splitlines()}
    parts = {line for line in lines if len(line) >= SHORTEST_LINE and not _FRAME.fullmatch(_text(line))}
    return _encoded(raw) | {form for part in parts for form in _forms(part)}


def _forms(part: bytes) -> set[str]:
    return _encoded(part) | _escaped(_text(part)) | {repr(part)[2:-1]} if len(part) >= SHORTEST else set()


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "backslashreplace")


def _escaped(text: str) -> set[str]:
    once = {json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1], repr(text)[1:-1]}
    once |= {form.replace("/", "\\/") for form in once}
    twice = {json.dumps(form)[1:-1] for form in once}  # a JSON text inside a JSON text
    urls = {urllib.parse.quote(text, safe=safe) for safe in ("", "/", "/:@")}
    urls.add(urllib.parse.quote_plus(text))
    urls |= {re.sub(r"%[0-9A-F]{2}", lambda code: code[0].lower(), url) for url in urls}
    shell = {shlex.quote(text)[1:-1] if shlex.quote(text) != text else text, text.replace("'", "'\\''")}
    return {text, *once, *twice, *urls, *shell, html.escape(text), html.escape(text, quote=False)}


def _encoded(raw: bytes) -> set[str]:
    forms = {raw.hex(), raw.hex().upper(), raw.hex(":"), raw.hex(" ")}
    for alphabet in (base64.b64encode, base64.urlsafe_b64encode):
        whole = alphabet(raw).decode()
        forms |= {whole, whole.rstrip("=")}
        forms |= {piece for width in _WRAPS for piece in _pieces(whole, width)}
        for offset in (0, 1, 2):
            forms.add(_inner(alphabet(b"\0" * offset + raw).decode(), offset, len(raw)))
    return {form for form in forms if len(form) > SHORTEST}


def _pieces(encoded: str, width: int) -> Iterator[str]:
    """The lines of a base64 text that is wrapped at a width; a short last one only if it tells something."""
    pieces = (encoded[at : at + width] for at in range(0, len(encoded), width))
    return (piece for piece in pieces if len(piece) >= SHORTEST_LINE)


def _inner(encoded: str, offset: int, length: int) -> str:
    """The characters of a base64 text that the value alone decides: none shared with a neighbour's bits."""
    first = -(-offset * 8 // 6)
    last = (offset + length) * 8 // 6
    return encoded[first:last]
