"""What drills look for in a queue of tasks: whose are running, who works on, who is back (H12)."""

from __future__ import annotations

import json
from collections.abc import Mapping

from hostmuster.drills.drill import Expectation
from hostmuster.drills.probes.client import Away, Client, Failed
from hostmuster.drills.scene import Scene
from hostmuster.item import Seen

Worker = Mapping[str, object]


def workers(scene: Scene) -> Mapping[str, Worker] | None:
    """By host, its worker as the first server that answers tells it; None where nobody does, or nothing is declared."""
    client = scene.ground.drilling.client
    for host in scene.ground.fleet.with_role("server") if client.workers else ():
        try:
            told = Client(f"http://{host.address}:{client.port}").ask("GET", client.workers)
            document = json.loads(told.body)
        except (Away, Failed, ValueError):
            continue
        if told.status == 200 and isinstance(document, dict):
            return {str(one.get("host")): one for one in document.values() if isinstance(one, dict)}
    return None


def runs_nothing(within_s: float = 45.0) -> Expectation:
    """What the target ran has ended as interrupted: nothing is told as running there."""

    def look(scene: Scene) -> Seen:
        found = workers(scene)
        if found is None:
            return Seen(None, "no server tells of workers")
        mine = found.get(scene.ground.target.name)
        if mine is None:
            return Seen(None, "no worker is known there")
        return Seen(mine.get("running") == 0, f"{mine.get('running')} running")

    return Expectation("what it ran has ended as interrupted", look, within_s)


def others_work(within_s: float = 45.0) -> Expectation:
    """More tasks are done than when it was first looked."""

    def look(scene: Scene) -> Seen:
        done = (scene.now.depth or {}).get("done") if scene.now else None
        if done is None:
            return Seen(None, "no server counts tasks")
        before = int(scene.noted.setdefault("done", str(done)))
        return Seen(done > before, f"{done - before} done since")

    return Expectation("the other workers go on", look, within_s)


def claims_again(within_s: float = 45.0) -> Expectation:
    """The target's worker gave word a short while ago: nobody is left out."""

    def look(scene: Scene) -> Seen:
        found = workers(scene)
        mine = (found or {}).get(scene.ground.target.name)
        if mine is None:
            return Seen(None, "no server tells of a worker there")
        age = mine.get("seen_s")
        return Seen(isinstance(age, int | float) and age < 10, f"it gave word {age} s ago")

    return Expectation("its worker is back", look, within_s)
