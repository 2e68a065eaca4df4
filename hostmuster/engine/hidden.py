"""What no output may show: every value of a fleet's store."""

from __future__ import annotations

from hostmuster.errors import HostmusterError
from hostmuster.model.declared import existing
from hostmuster.project import Project
from hostmuster.secrets.any_store import AnyStore
from hostmuster.secrets.chosen import open_store
from hostmuster.secrets.value import Secret


def hidden(store: AnyStore) -> list[Secret]:
    """Its values, and what it is opened with. Raises Refused where it cannot be opened."""
    return [*store.confidential().values(), *store.credentials()]


def hidden_from_errors(project: Project, fleet: str) -> list[Secret]:
    """The same for a fleet that was not opened: an error quotes the fleet file, and a value may stand there in clear.

    None of a store that cannot be opened: that is no reason to keep the error itself back.
    """
    try:
        existing(project, fleet)
        return hidden(open_store(project, fleet))
    except (HostmusterError, OSError):
        return []
