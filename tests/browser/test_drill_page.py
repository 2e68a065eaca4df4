"""A drill's page as Chromium shows it: quiet, whole on a phone, its verdict and timeline seen at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from hostmuster.drills import page
from hostmuster.drills.evidence import Evidence, Numbers
from hostmuster.drills.timeline import timeline
from tests.browser.hostile import HOSTILE
from tests.browser.test_report_page import BEYOND, FAINT
from tests.unit.drills.sample import DRILL, evidence, looks, measured, owner


def opened(browser: Browser, folder: Path, one: Evidence, width: int = 1280, scheme: str = "light") -> Page:
    drawn = timeline(one.fault, measured(), looks(), owner, ["10.213.0.100"])
    page.write(folder, one, DRILL, "lab", drawn)
    context = browser.new_context(
        viewport={"width": width, "height": 844}, color_scheme="dark" if scheme == "dark" else "light", offline=True
    )
    shown = context.new_page()
    said: list[str] = []
    shown.on("console", lambda message: said.append(message.text))
    shown.goto((folder / "report.html").as_uri())
    assert said == []
    return shown


@pytest.mark.parametrize("width", [1280, 768, 390, 320])
def test_the_page_is_as_wide_as_its_window(browser: Browser, tmp_path: Path, width: int) -> None:
    shown = opened(browser, tmp_path, evidence(), width)
    assert shown.evaluate(BEYOND) == []
    assert shown.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out(browser: Browser, tmp_path: Path, scheme: str) -> None:
    assert opened(browser, tmp_path, evidence(), scheme=scheme).evaluate(FAINT) == []


def test_verdict_figures_and_what_was_not_kept_come_first(browser: Browser, tmp_path: Path) -> None:
    bad = Numbers(outage_s=70.0, sampling_s=0.1, failed={"GET": 3}, acknowledged=9, lost=1, duplicated=0)
    shown = opened(browser, tmp_path, evidence(measured=bad, verdict="refuted"), 390)
    assert " ".join(shown.inner_text("h1").split()) == "server-host ≠ refuted"
    assert shown.locator(".broken > li").all_inner_texts() == [
        "70 s without a good answer, promised 60 s",
        "3 GET failed, promised 0",
        "1 acknowledged lost, promised 0",
    ]
    assert shown.locator(".figures dd.over").all_inner_texts() == ["70.0 s", "3", "1"]
    assert shown.locator(".broken").bounding_box()["y"] < 844  # type: ignore[index]


def test_a_fault_is_marked_on_every_track_and_told_below(browser: Browser, tmp_path: Path) -> None:
    shown = opened(browser, tmp_path, evidence())
    tracks = shown.locator(".track")
    assert tracks.count() == 6
    assert shown.locator(".track rect.fault").count() == 6
    mark, band = shown.locator(".mark-1").bounding_box(), shown.locator("rect.fault").first.bounding_box()
    assert mark and band
    assert abs(mark["x"] - band["x"]) < 2
    assert "server-1 loses its power" in shown.inner_text(".faults")
    assert shown.locator("rect.owner-1").count() == shown.locator("rect.owner-2").count() == 2


def test_what_a_hostile_host_says_is_text(browser: Browser, tmp_path: Path) -> None:
    one = evidence(host=HOSTILE, not_run=[HOSTILE], versions={HOSTILE: HOSTILE})
    one.fault[0].seen[0].seen = HOSTILE
    shown = opened(browser, tmp_path, one)
    assert shown.evaluate("window.hit") is None
    assert HOSTILE in shown.inner_text(".faults")
