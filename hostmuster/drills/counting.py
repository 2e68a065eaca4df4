"""What became of the tasks that were acknowledged to a client: each is there still, and none took effect twice."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from gevent.pool import Pool

from hostmuster.drills.probes.client import Away, Client, Failed
from hostmuster.drills.scene import Scene

AT_ONCE = 8
TWICE = "duplicated_effects"


@dataclass(frozen=True)
class Counted:
    """`lost`: acknowledged, and no server knows of it. None: nobody could tell, and `not_run` says why."""

    lost: int | None
    duplicated: int | None
    not_run: tuple[str, ...] = ()


def account(scene: Scene, acknowledged: Sequence[tuple[str, str]], twice_before: int) -> Counted:
    """Each is asked for by its id, of a server directly. `acknowledged`: key and id."""
    client, servers = scene.ground.drilling.client, scene.ground.fleet.with_role("server")
    bases = [f"http://{host.address}:{client.port}" for host in servers]

    tasks = sorted({task for _, task in acknowledged})

    def known(part: Sequence[str]) -> list[bool | None]:
        """Over connections that are kept, one after the other."""
        ways = [Client(base) for base in bases]
        return [_known(ways, f"{client.tasks}/{task}") for task in part]

    parts = [tasks[at::AT_ONCE] for at in range(AT_ONCE)]
    found = [one for part in Pool(AT_ONCE).imap_unordered(known, parts) for one in part]
    if None in found:
        return Counted(None, None, (f"lost: of {found.count(None)} acknowledged tasks no server would tell",))
    twice = effects_twice(scene)
    why = () if twice is not None else ("duplicated: no server tells how many effects are not a task's first",)
    return Counted(found.count(False), None if twice is None else twice - twice_before, why)


def _known(ways: Sequence[Client], path: str) -> bool | None:
    """Whether the first that answers knows it; None where none does."""
    for way in ways:
        try:
            told = way.ask("GET", path)
        except (Away, Failed):
            continue
        if told.status in (200, 404):
            return told.status == 200
    return None


def effects_twice(scene: Scene) -> int | None:
    """Effects that are not their task's first, of all there ever were; None where nobody tells."""
    client = scene.ground.drilling.client
    for host in scene.ground.fleet.with_role("server") if client.tasks else ():
        try:
            told = Client(f"http://{host.address}:{client.port}").ask("GET", client.tasks)
            found = json.loads(told.body).get(TWICE)
        except (Away, Failed, ValueError, AttributeError):
            continue
        if isinstance(found, int):
            return found
    return None
