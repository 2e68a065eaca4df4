"""What of a fleet still leads to a secret that is to leave the store (secrets.remove)."""

from __future__ import annotations

from collections.abc import Iterator

from hostmuster.engine.catalogue import compile_fleet
from hostmuster.engine.checklist import checklist
from hostmuster.engine.exposure import exposed
from hostmuster.engine.opening import Opening
from hostmuster.errors import InputError
from hostmuster.secrets.references import naming


def references(opening: Opening, name: str) -> list[str]:
    """A line each: where the fleet file names it, and what an item would lack; else what hosts are given of it.

    An item may do without what it does not find, so that it compiles is not enough.
    """
    return list(dict.fromkeys([*_missed(opening, name)] or _given(opening, name)))


def _missed(opening: Opening, name: str) -> Iterator[str]:
    yield from (f"{where} names it" for where in naming(opening.fleet, name))
    try:
        compile_fleet(opening.fleet.without(name), checklist(opening.project))
    except InputError as error:
        yield from (f"{one.where}: without it {one.what}" for one in error.problems)


def _given(opening: Opening, name: str) -> Iterator[str]:
    for host, compiled in opening.catalogue.hosts.items():
        yield from (f"{host}: {one.where}" for one in exposed(compiled, opening.store) if one.secret == name)
