"""What the report says first: the whole fleet in a sentence, and what is wrong once for all hosts that have it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hostmuster.report.document import HostPart, ItemPart, OwnChecks, Report, SeenEffect
from hostmuster.report.evidence import MOST, drills
from hostmuster.report.view import Place, Trouble, headline, says, troubles

OK = ItemPart(status="ok")
MODE = ItemPart(status="differs", differences=("mode is 0644",))
UNRUN = ItemPart(status="not_run", reason="no kernel for it")
SILENT = SeenEffect(name="answers", ok=False, seen="000")
STOPPED = ItemPart(status="failed", effects=(SILENT,), reason="answers: 000")


def report(*items: ItemPart, error: str | None = None, unlike: bool = False) -> Report:
    """A host for each item."""
    hosts = {
        f"h-{n}": HostPart(address="", debian=12, roles=(), reachable=True, items={"units": item}, error=error)
        for n, item in enumerate(items, 1)
    }
    finding = {"role": None, "thing": "x", "values": (), "text": ""}
    return Report.model_validate(
        {
            "fleet": "f",
            "revision": None,
            "made": "",
            "checklist": {"units": ""},
            "hosts": hosts,
            "findings": [finding] if unlike else [],
        }
    )


@pytest.mark.parametrize(
    ("given", "status", "said"),
    [
        (report(OK), "ok", "1 host as declared."),
        (report(OK, OK), "ok", "2 hosts as declared."),
        (report(OK, UNRUN), "not_run", "2 hosts as declared, as far as it was run: 1 line was not."),
        (report(OK, OK, unlike=True), "differs", "2 hosts as declared, but not alike."),
        (report(MODE, OK, UNRUN), "differs", "Of 3 hosts, 1 differs."),
        (report(MODE, MODE, STOPPED), "failed", "Of 3 hosts, 1 failed and 2 differ."),
        (report(OK, error="h-1: no route"), "failed", "Of 1 host, 1 failed."),
    ],
)
def test_the_whole_fleet_in_one_sentence(given: Report, status: str, said: str) -> None:
    assert headline(given) == (status, said)


def test_the_same_thing_wrong_on_several_hosts_is_said_once_failures_first() -> None:
    first, second = troubles(report(MODE, STOPPED, OK, MODE), ("failed", "differs"))
    assert first == Trouble("units", "failed", ("answers: 000",), (Place("h-2", "h2-1"),))
    assert second == Trouble("units", "differs", ("mode is 0644",), (Place("h-1", "h1-1"), Place("h-4", "h4-1")))


def test_a_host_that_failed_as_a_whole_comes_before_all_items() -> None:
    first, _ = troubles(report(MODE, error="h-1: no route\nis it up?"), ("failed", "differs"))
    assert first == Trouble("", "failed", ("no route", "is it up?"), (Place("h-1", "h1"),))


def test_a_host_whose_own_checks_fail_or_are_silent_needs_somebody_though_all_lines_are_ok() -> None:
    checks = OwnChecks(age_s=900, late=True, ok=3, not_run=0, failed={"disk /": "97 % used"})
    well = report(OK)
    one = well.model_copy(update={"hosts": {"h-1": well.hosts["h-1"].model_copy(update={"checks": checks})}})
    assert headline(one) == ("failed", "Of 1 host, 1 failed.")
    assert [(trouble.item, trouble.says) for trouble in troubles(one, ("failed",))] == [
        ("own checks", ("none has run for 900 s",)),
        ("own check disk /", ("97 % used",)),
    ]


def test_a_reason_that_says_more_than_the_effects_is_said_too() -> None:
    assert says(STOPPED.model_copy(update={"reason": "it was taken back"})) == ("answers: 000", "it was taken back")


def evidence(folder: Path, number: int, host: str = "h-1", **fields: object) -> None:
    place = folder / f"drill-{number}"
    place.mkdir(parents=True)
    one = {"id": str(number), "drill": "nginx", "host": host, "verdict": "passed", "started": f"2026-11-{number:02}"}
    (place / "evidence.json").write_text(json.dumps(one | fields))


def test_drills_of_this_fleets_hosts_are_shown_the_newest_first(tmp_path: Path) -> None:
    evidence(tmp_path, 1, measured={"outage_s": 4.25}, more="of a later version")
    evidence(tmp_path, 2)
    evidence(tmp_path, 3, host="another-fleets")
    (tmp_path / "run" / "x").mkdir(parents=True)
    (tmp_path / "run" / "evidence.json").write_text("{}")
    found = drills(tmp_path, {"h-1"})
    assert [(one.id, one.outage_s) for one in found] == [("2", None), ("1", 4.25)]


def test_no_page_grows_without_end(tmp_path: Path) -> None:
    for number in range(MOST + 5):
        evidence(tmp_path, number)
    assert len(drills(tmp_path, {"h-1"})) == MOST
