"""What no output may show: every value of a fleet's store."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hostmuster.errors import HostmusterError
from hostmuster.model.declared import existing
from hostmuster.project import Project
from hostmuster.secrets.any_store import AnyStore
from hostmuster.secrets.chosen import open_store
from hostmuster.secrets.value import Secret

_CUT: Final = range(20, 81)
"""Characters: how short an error cuts what it quotes, from a name's label to a reference."""


def hidden(store: AnyStore) -> list[Secret]:
    """Its values, and what it is opened with. Raises Refused where it cannot be opened."""
    return [*store.confidential().values(), *store.credentials()]


def hidden_from_errors(project: Project, fleet: str) -> list[Secret]:
    """The same for a fleet that was not opened: an error quotes the fleet file, and a value may stand there in clear.

    None of a store that cannot be opened: that is no reason to keep the error itself back.
    """
    try:
        existing(project, fleet)
        whole = hidden(open_store(project, fleet))
    except (HostmusterError, OSError):
        return []
    return [*whole, *(part for secret in whole for part in _beginnings(secret))]


def _beginnings(secret: Secret) -> Iterator[Secret]:
    """An error quotes a long value only so far, and a part of one would not be found by the whole."""
    value = secret.reveal()
    yield from (Secret(value[:length]) for length in _CUT if length < len(value))
