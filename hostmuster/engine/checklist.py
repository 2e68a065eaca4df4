"""The project's own checklist, deploys/checklist.py: which items there are, and in which order."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable

from hostmuster.engine.foreign import foreign
from hostmuster.errors import Refused
from hostmuster.item import Item, ItemModule
from hostmuster.project import Project

_REMEDY = "it must define CHECKLIST, a tuple of item modules, each with ITEM, resources and effects"


def checklist(project: Project) -> tuple[ItemModule, ...]:
    """Its items. Raises Refused where it cannot be imported, or is something else."""
    # First, not somewhere: pyinfra appends its working directory, behind a repository that is installed as editable.
    if sys.path[:1] != [str(project.root)]:
        sys.path.insert(0, str(project.root))
    where = str(project.root / "deploys" / "checklist.py")
    with foreign(project.root, where, _REMEDY):
        given = getattr(importlib.import_module("deploys.checklist"), "CHECKLIST", None)
        items = tuple(given) if isinstance(given, Iterable) else (given,)
    for one in items:
        if not _is_item(one):
            raise Refused(f"in its CHECKLIST, {one!r} is no item module", where=where, remedy=_REMEDY)
    return items


def _is_item(one: object) -> bool:
    acts = (getattr(one, "resources", None), getattr(one, "effects", None))
    return isinstance(getattr(one, "ITEM", None), Item) and all(map(callable, acts))
