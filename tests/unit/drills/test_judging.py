"""A verdict is what was measured against what was promised, and nothing else."""

from __future__ import annotations

import pytest

from hostmuster.drills.evidence import BeforeAfter, Happened, Numbers, Shown
from hostmuster.drills.judging import broken, targets, verdict
from hostmuster.model.drilling import Drilling, Tier, Tiers
from tests.unit.drills.sample import DRILL, evidence, steady

GOOD = {
    "outage_s": 0.3,
    "sampling_s": 0.1,
    "failed": {"GET": 0, "POST": 9},
    "acknowledged": 9,
    "lost": 0,
    "duplicated": 0,
}


def test_what_was_kept_passes_and_a_method_without_a_promise_is_only_counted() -> None:
    assert verdict(evidence()) == "passed"
    assert list(broken(evidence(measured=Numbers.model_validate(GOOD)))) == []


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"outage_s": 61.5}, "61.5 s without a good answer, promised 60 s"),
        ({"failed": {"GET": 1}}, "1 GET failed, promised 0"),
        ({"lost": 2}, "2 acknowledged lost, promised 0"),
        ({"duplicated": 1}, "1 duplicated, promised 0"),
    ],
)
def test_a_promise_that_was_not_kept_refutes(changed: dict[str, object], says: str) -> None:
    one = evidence(measured=Numbers.model_validate(GOOD | changed))
    assert list(broken(one)) == [says]
    assert verdict(one) == "refuted"


def test_what_was_looked_for_and_not_seen_refutes_and_what_could_not_be_run_does_not() -> None:
    happened = Happened(what="it stopped", at=0.0, undoing="armed", back_s=301.0)
    happened.seen = [Shown(name="it is named", ok=False, seen="nobody"), Shown(name="its queue", ok=None, seen="none")]
    one = evidence(fault=[happened])
    assert list(broken(one)) == ["it stopped: back after 301 s, promised 300 s", "it stopped: it is named: nobody"]
    assert verdict(one) == "refuted"


def test_what_was_not_measured_is_no_broken_promise() -> None:
    assert list(broken(evidence(measured=Numbers()))) == []


@pytest.mark.parametrize(
    "otherwise",
    [
        {"steady_state": BeforeAfter(before=steady(), after=None)},
        {"steady_state": BeforeAfter(before=steady(), after=steady(units="workload.service is failed"))},
        {"cleanup": [Shown(name="nothing is left", ok=False, seen="/var/tmp/file")]},
    ],
    ids=["after was never reached", "a line does not hold after", "something is left"],
)
def test_a_fleet_that_is_not_as_before_fails_the_drill_however_good_its_figures_are(
    otherwise: dict[str, object],
) -> None:
    assert verdict(evidence(**otherwise)) == "failed"


def test_each_drill_is_judged_by_its_own_tier() -> None:
    drilling = Drilling(targets=Tiers(host=Tier(outage_s=5, back_s=120)))
    found = targets(DRILL, drilling)
    assert (found.outage_s, found.back_s, found.failed, found.lost) == (5, 120, {"GET": 0}, 0)
