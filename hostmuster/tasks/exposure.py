"""What a host knew and cannot forget, for a person: each secret with its kind, where it was, and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.text import Text

from hostmuster.tasks.events import Json, listed, text_of
from hostmuster.tasks.host_lines import printable


def exposure_lines(document: Mapping[str, Json]) -> Iterator[Text]:
    """A line each, and below it what to do; one line where it knew nothing. None for a document that tells nothing."""
    if "exposed" not in document:
        return
    known = [one for one in listed(document["exposed"]) if isinstance(one, Mapping)]
    if not known:
        yield Text("it knew no secret of the store")
    for one in known:
        secret, kind, where, remedy = (text_of(one.get(name)) or "" for name in ("secret", "kind", "where", "remedy"))
        yield Text.assemble("it knew ", (printable(secret), "bold"), printable(f" ({kind}), by {where}"))
        yield Text(printable(f"    {remedy}"))
