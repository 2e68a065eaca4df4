"""A panel's virtual hosts written anew, as panels do: the whole file in place, less what the panel did not write."""

from __future__ import annotations

from hostmuster.drills.faults.fault import Fault, Ground, NoGround, OnHost
from hostmuster.panel.settings import Panel
from hostmuster.resources.step import Keep, Run

# What a panel renders is whole before it is written.
_REGENERATE = r"""
nginx=$1
shift
for file; do
    rendered=$(sed '/# hostmuster$/d' "$file") && printf '%s\n' "$rendered" >"$file" || exit
done
exec "$nginx" -s reload"""


def _make(ground: Ground) -> OnHost:
    declared = ground.target.resolved.models.get("panel")
    if not isinstance(declared, Panel) or not declared.vhosts:
        raise NoGround(f"{ground.target.name} has no virtual hosts of a panel")
    paths = [one.path for one in declared.vhosts.values()]
    again = Run(("sh", "-c", _REGENERATE, "sh", declared.nginx, *paths), undo=(declared.nginx, "-s", "reload"))
    return OnHost(f"the panel writes {', '.join(paths)} anew", (*map(Keep, paths), again))


REGENERATED = Fault("a panel's virtual hosts are written anew", _make)
