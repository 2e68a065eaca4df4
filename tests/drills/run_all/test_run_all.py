"""A drill day on the whole lab: every drill passes but the one for hosts with a panel, and a soak loses nothing."""

from __future__ import annotations

import json

from hostmuster.drills.catalogue import DRILLS
from tests.drills.own_fleet import OwnFleet


def test_every_drill_passes_and_one_table_says_so(seven: OwnFleet) -> None:
    seven.declare({"watch_s": 3})
    done = seven.fleet.hostmuster("drill.run-all", "--json", timeout_s=2400)
    document = json.loads(done.output)
    for one in document["drills"]:
        back = max((fault["back_s"] or 0 for fault in one["fault"]), default=0)
        print(one["drill"], one["host"], one["verdict"], one["measured"], f"back {back} s", one["not_run"])
    verdicts = {one["drill"]: one["verdict"] for one in document["drills"]}
    assert verdicts == dict.fromkeys(DRILLS, "passed") | {"vhost-regenerated": "not_run"}, done.errors
    assert done.exit == 0
    held = [one["measured"] for one in document["drills"] if one["verdict"] != "not_run"]
    assert all(one["lost"] == one["duplicated"] == 0 < one["acknowledged"] for one in held)


def test_random_faults_under_load_lose_nothing_that_was_acknowledged(seven: OwnFleet) -> None:
    seven.declare({"watch_s": 2})
    done = seven.fleet.hostmuster("drill.soak", "--seconds", "60", "--seed", "7", "--json", timeout_s=600)
    (one,) = json.loads(done.output)["drills"]
    print("soak:", [fault["what"] for fault in one["fault"]], one["measured"])
    assert done.exit == 0, done.errors
    assert len(one["fault"]) >= 2
    assert one["measured"]["acknowledged"] > 0
    assert one["measured"]["lost"] == 0
