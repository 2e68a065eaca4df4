"""How a task that ends early tells it where one JSON document was asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

from hostmuster.errors import HostmusterError


@contextmanager
def told(*, as_json: bool) -> Iterator[None]:
    """The error is the document then; it goes on to whoever writes it for people and ends with its exit code."""
    try:
        yield
    except HostmusterError as error:
        if as_json:
            print(document(error))
        raise


def document(error: HostmusterError) -> str:
    """The one document of a command that came to nothing."""
    return json.dumps({"error": str(error), "exit": error.exit_code}, indent=2)
