"""Evidence of rotations under reports/: found for its fleet, newest first, and nothing else taken for one."""

from __future__ import annotations

import json
from pathlib import Path

from hostmuster.report.evidence import drills, rotations

RING = {
    "id": "1f0c22ab",
    "rotation": "rotate",
    "requirement": "K4",
    "fleet": "lab",
    "secret": "signing",
    "started": "2026-11-29T18:02:11Z",
    "seconds": 41.2,
    "verdict": "passed",
    "steps": [
        {"at": 1.0, "step": "store: publish"},
        {
            "at": 2.0,
            "step": "generation 4",
            "skew_s": 0.012,
            "hosts": {"server-1": {"from": None, "generation": 4, "switched_at": 2.0}},
        },
    ],
}
DRILL = {"id": "x", "drill": "worker-host", "host": "worker-1", "verdict": "passed"}


def keep(reports: Path, name: str, document: object) -> None:
    (reports / name).mkdir(parents=True)
    (reports / name / "evidence.json").write_text(json.dumps(document))


def test_rotations_of_the_fleet_are_found_newest_first(tmp_path: Path) -> None:
    keep(tmp_path, "1f0c22ab", RING)
    keep(tmp_path, "later", {**RING, "id": "later", "started": "2026-11-30T00:00:00Z"})
    keep(tmp_path, "others", {**RING, "fleet": "other"})
    keep(tmp_path, "drill", DRILL)
    keep(tmp_path, "broken", {"rotation": "rotate"})
    found = rotations(tmp_path, "lab")
    assert [one.id for one in found] == ["later", "1f0c22ab"]
    assert [one.drill for one in drills(tmp_path, {"worker-1"})] == ["worker-host"]
    ring = found[1]
    assert ring.widest_s == 0.012
    ((_, hosts),) = ring.switches
    assert (hosts["server-1"].before, hosts["server-1"].generation) == (None, 4)
