"""The verdict of a drill: what was measured and seen, against what was promised. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from hostmuster.drills.drill import Drill
from hostmuster.drills.evidence import Evidence, Targets, Verdict
from hostmuster.model.drilling import Drilling, Tier


def targets(drill: Drill, drilling: Drilling) -> Targets:
    """What the fleet file and the drill promise together."""
    tier: Tier = getattr(drilling.targets, drill.tier)
    promise = drill.promise
    return Targets(
        outage_s=tier.outage_s if promise.outage else None,
        back_s=tier.back_s if promise.back else None,
        failed=dict(promise.failed),
        lost=promise.lost,
        duplicated=promise.duplicated,
    )


def broken(evidence: Evidence) -> Iterator[str]:
    """Promises that were not kept, in words. What was not measured is none of them: it is not run."""
    want, have = evidence.targets, evidence.measured
    if want.outage_s is not None and have.outage_s is not None and have.outage_s > want.outage_s:
        yield f"{have.outage_s:g} s without a good answer, promised {want.outage_s:g} s"
    for method, most in want.failed.items():
        if have.failed.get(method, 0) > most:
            yield f"{have.failed[method]} {method} failed, promised {most}"
    for what, most_of, number in (
        ("acknowledged lost", want.lost, have.lost),
        ("duplicated", want.duplicated, have.duplicated),
    ):
        if most_of is not None and number is not None and number > most_of:
            yield f"{number} {what}, promised {most_of}"
    for one in evidence.fault:
        if want.back_s is not None and one.back_s is not None and one.back_s > want.back_s:
            yield f"{one.what}: back after {one.back_s:g} s, promised {want.back_s:g} s"
        yield from (f"{one.what}: {shown.name}: {shown.seen}" for shown in one.seen if shown.ok is False)


def verdict(evidence: Evidence) -> Verdict:
    """failed: the drill itself, or the fleet is not as it was; refuted: a promise was not kept."""
    after = evidence.steady_state.after
    if after is None or after.failed or any(shown.ok is False for shown in evidence.cleanup):
        return "failed"
    return "refuted" if any(broken(evidence)) else "passed"
