"""Rotations as they are told of in a report: one under a prober, one after a revocation, one taken back."""

from __future__ import annotations

from hostmuster.report.document import Ended, Got, Probed, Step, Turned

SWITCHED = 1796000000.125
FOUR = ("server-1", "server-2", "worker-1", "worker-2")


def got(generation: int, at: float) -> dict[str, Got]:
    """Four hosts that were switched within 12 ms."""
    return {
        name: Got.model_validate({"from": generation - 1, "generation": generation, "switched_at": at + number * 0.004})
        for number, name in enumerate(FOUR)
    }


def turned() -> tuple[Turned, ...]:
    """A ring turned under a prober, a key that had to be revoked, and a rollout that was taken back."""
    steps = (
        Step(at=SWITCHED - 3, step="store: publish key-1, key-2"),
        Step(at=SWITCHED, step="generation 4 on 4 hosts", skew_s=0.012, hosts=got(4, SWITCHED)),
        Step(at=SWITCHED + 9, step="generation 5 on 4 hosts", skew_s=0.012, hosts=got(5, SWITCHED + 9)),
    )
    ring = Turned(
        id="1f0c22ab", fleet="lab", rotation="rotate", requirement="K4", secret="signing", seconds=41.2,
        started="2026-11-29T18:02:11Z", revision="3f2a91c07d5e", steps=steps, stands="key-2 signs everywhere",
        probed=Probed(began="2026-11-29T18:02:00", seconds=52.3, verified={"server-1 by worker-1": 10630}),
        verdict="passed",
    )  # fmt: skip
    revoked = Turned(
        id="77d1e9a0", fleet="lab", rotation="revoke", requirement="K5", secret="signing", seconds=14.0,
        started="2026-11-29T17:41:50Z", generation=3, hosts=got(3, SWITCHED - 900), skew_s=0.012, outage_s=5.6,
        ended=(Ended(host="server-1", words="workload.service stopped: 1 drained, 0 stopped, 0 killed"),),
        not_run=("no prober's figures: none was named",), verdict="passed",
    )  # fmt: skip
    back = Turned(
        id="0b44c1d2", fleet="lab", rotation="rollout", requirement="K8", started="2026-11-29T16:00:02Z", seconds=9.1,
        error="taken back on all hosts: worker-2: workload.service did not come back", verdict="failed",
    )  # fmt: skip
    return ring, revoked, back
