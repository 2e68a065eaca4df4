"""A report of a host that has got hold of every text it can reach."""

from __future__ import annotations

from hostmuster.report.document import (
    Evidence,
    FindingPart,
    ItemPart,
    OwnChecks,
    Report,
    SeenEffect,
    Step,
    ValuePart,
)
from tests.browser.sample import CHECKLIST, host, report
from tests.browser.turned import got, turned

HOSTILE = (
    "</style></title><script>window.hit = 1</script><img src=x onerror='window.hit = 2'>\" onclick='window.hit = 3'"
)


def hostile() -> Report:
    """A host that has got hold of every text it can reach: its name, what its effects show, its state, an item."""
    effect = SeenEffect(name=f"effect {HOSTILE}", ok=False, seen=f"seen {HOSTILE} {{{{ 7 * 7 }}}} " + "x" * 500)
    bad = ItemPart(status="failed", differences=(f"difference {HOSTILE}",), effects=(effect,), reason=HOSTILE)
    one = host(1, f"role {HOSTILE}", clock=bad)
    checks = OwnChecks(age_s=1, late=True, ok=0, not_run=0, failed={f"check {HOSTILE}": HOSTILE})
    one = one.model_copy(update={"state": {f"state {HOSTILE}": HOSTILE}, "checks": checks, "address": HOSTILE})
    gone = one.model_copy(update={"items": {}, "error": f"error {HOSTILE}"})
    unlike = FindingPart(
        role=HOSTILE, thing=f"thing {HOSTILE}", values=(ValuePart(value=HOSTILE, hosts=(HOSTILE,)),), text=""
    )
    drill = Evidence(id="x", drill=f"drill {HOSTILE}", host=HOSTILE, verdict="failed", started=HOSTILE)
    hosts = {f"host {HOSTILE}": one, f"gone {HOSTILE}": gone}
    step = Step(at=1.0, step=f"step {HOSTILE} " + "x" * 300, hosts={f"switched {HOSTILE}": got(2, 1.0)["server-1"]})
    odd = turned()[0].model_copy(
        update={"secret": HOSTILE, "error": f"why {HOSTILE}", "steps": (step,), "stands": HOSTILE}
    )
    return report(hosts, findings=(unlike,), drills=(drill,)).model_copy(
        update={
            "rotations": (odd,),
            "fleet": HOSTILE,
            "revision": HOSTILE,
            "checklist": {**CHECKLIST, "clock": f"clock {HOSTILE}"},
        }
    )
