"""The report as Chromium shows it: whole, quiet, readable at every width and in both schemes, whatever a host said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from hostmuster.report.document import Report
from tests.browser import sample
from tests.browser.hostile import HOSTILE, hostile
from tests.browser.shown import DESKTOP, PHONE, Scheme, shown

REPORTS = {"four": sample.four, "many": sample.many, "hostile": hostile}
# Every text that is seen, with its contrast against what lies behind it (WCAG 2.2, 1.4.3).
FAINT = """
() => {
  const channels = colour => colour.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(c => c / 255)
    .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, n) => sum + c * [0.2126, 0.7152, 0.0722][n], 0);
  const behind = one => {
    for (; one; one = one.parentElement) {
      const found = channels(getComputedStyle(one).backgroundColor);
      if (found.length < 4 || found[3] > 0) return found;
    }
    return [255, 255, 255];
  };
  const faint = [];
  for (const one of document.querySelectorAll("main *")) {
    const own = [...one.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
    if (!own || one.closest(".sr") || !one.checkVisibility()) continue;
    const [a, b] = [light(channels(getComputedStyle(one).color)), light(behind(one))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) faint.push(`${one.textContent.trim()}: ${contrast.toFixed(2)}`);
  }
  return faint;
}
"""
INJECT = """
() => { const one = document.createElement("script"); one.textContent = "window.hit = 1"; document.body.append(one) }
"""
BEYOND = """
() => [...document.querySelectorAll("body *")].filter(one => one.checkVisibility() && !one.closest(".sr"))
  .filter(one => one.getBoundingClientRect().right > innerWidth + 0.5).map(one => one.outerHTML.slice(0, 80))
"""


@pytest.mark.parametrize("made", REPORTS.values(), ids=REPORTS.keys())
def test_nothing_is_asked_for_nor_complained_of_and_the_page_is_as_wide_as_its_window(
    browser: Browser, tmp_path: Path, made: Callable[[], Report]
) -> None:
    with shown(browser, tmp_path, made()) as one:
        one.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        for width in (DESKTOP, 768, PHONE, 320):
            one.page.set_viewport_size({"width": width, "height": 844})
            assert one.page.evaluate(BEYOND) == [], width
            assert one.page.evaluate("document.documentElement.scrollWidth") <= width
        assert one.said == []
        assert one.asked == [one.page.url]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_what_lies_behind_it(browser: Browser, tmp_path: Path, scheme: Scheme) -> None:
    with shown(browser, tmp_path, sample.four(), scheme=scheme) as one:
        one.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        assert one.page.evaluate(FAINT) == []


def test_every_host_and_item_is_in_the_matrix_and_told_by_a_sign_and_a_word(browser: Browser, tmp_path: Path) -> None:
    report = sample.many()
    with shown(browser, tmp_path, report, PHONE) as one:
        names = one.page.locator(".matrix tbody th a").all_inner_texts()
        assert names == list(report.hosts)
        assert one.page.locator(".matrix .item-name").all_inner_texts() == list(report.checklist)
        cells = [text.split("\n") for text in one.page.locator(".matrix td").all_text_contents()]
        assert len(cells) == len(report.hosts) * len(report.checklist)
        assert {" ".join(cell).strip() for cell in cells} == {"✓ok", "≠differs", "○not run", "not seen"}


def test_what_is_wrong_is_told_once_and_leads_to_the_hosts(browser: Browser, tmp_path: Path) -> None:
    with shown(browser, tmp_path, sample.four(), PHONE) as one:
        assert one.text("h1") == "Of 4 hosts, 1 failed and 2 differ."
        tally = one.page.locator(".tally").first.inner_text()
        assert " ".join(tally.split()) == "Hosts ✕ 1 failed ≠ 2 differ ○ 1 not all run"
        units, env_files = one.page.locator(".troubles").first.locator("> li").all()
        assert "workload.service is active: inactive" in units.inner_text()
        assert env_files.locator("a").all_inner_texts() == ["server-2", "worker-2"]
        assert one.text("#unrun ~ .troubles").count("this kernel has no AppArmor") == 1
        env_files.get_by_text("worker-2").click()
        assert one.page.locator("details:target > summary").inner_text().split()[-1] == "env_files"
        assert one.page.get_by_text("mode is 0644, declared 0600").last.is_visible()


def test_hosts_and_items_unfold_by_key_and_by_a_cell_of_the_matrix(browser: Browser, tmp_path: Path) -> None:
    with shown(browser, tmp_path, sample.many()) as one:
        seen = one.page.locator("#h1-2 .seen").first
        assert not seen.is_visible()
        for place in ("#h1", "#h1-2"):
            one.page.locator(f"{place} > summary").focus()
            one.page.keyboard.press("Enter")
        assert seen.is_visible()
        assert seen.inner_text() == "chrony alone"
        cell = one.page.locator(".matrix tbody tr").nth(1).locator("td a").nth(1)
        assert cell.get_attribute("title") == "server-2, clock: ok"
        cell.click()
        # The browser itself unfolds what a link leads to.
        assert one.page.locator("#h2-2").evaluate("one => one.matches(':target') && one.checkVisibility()")


def test_what_a_hostile_host_says_is_text(browser: Browser, tmp_path: Path) -> None:
    with shown(browser, tmp_path, hostile()) as one:
        one.page.locator("h1").click()
        assert one.page.evaluate("window.hit") is None
        assert one.page.locator("script, img, [onclick], [onerror]").count() == 0
        body = one.page.locator("main").text_content() or ""
        for what in (
            "host",
            "gone",
            "role",
            "difference",
            "effect",
            "seen",
            "check",
            "state",
            "thing",
            "drill",
            "error",
            "step",
            "switched",
            "why",
        ):
            assert f"{what} {HOSTILE}" in body, what
        assert "{{ 7 * 7 }}" in body


def test_a_script_that_got_in_all_the_same_would_not_run(browser: Browser, tmp_path: Path) -> None:
    with shown(browser, tmp_path, sample.four()) as one:
        one.page.evaluate(INJECT)
        assert one.page.evaluate("window.hit") is None
        assert any("Content Security Policy" in text for text in one.said)


@pytest.mark.parametrize("width", [DESKTOP, PHONE])
def test_who_got_which_generation_when_and_what_it_cost_is_told(browser: Browser, tmp_path: Path, width: int) -> None:
    with shown(browser, tmp_path, sample.four(), width) as one:
        ring, revoked, back = one.page.locator("#rotations ~ details").all()
        words = " ".join(ring.inner_text().split())
        assert words.startswith("rotate signing ✓ passed 2026-11-29 18:02:11 UTC, skew 12 ms")
        assert "10630 tokens taken, 0 refused" in words
        assert "worker-2 3 → 4 2026-11-30 00:53:20.137 UTC 12 ms later" in words
        assert "store: publish key-1, key-2" in words
        assert "outage 5.6 s" in revoked.locator("summary").inner_text()
        assert "✕ failed" in " ".join(back.locator("summary").inner_text().split())
        back.locator("summary").click()
        assert "workload.service did not come back" in back.inner_text()
        revoked.locator("summary").click()
        assert "no prober's figures: none was named" in revoked.inner_text()
        assert "server-1: workload.service stopped: 1 drained, 0 stopped, 0 killed" in revoked.inner_text()


def test_on_paper_everything_is_unfolded(browser: Browser, tmp_path: Path) -> None:
    with shown(browser, tmp_path, sample.many(30)) as one:
        one.page.emulate_media(media="print")
        effect = one.page.locator("#h1-2 .seen").first
        assert (effect.bounding_box() or {"height": 0})["height"] > 0
        assert one.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_sections_without_anything_to_tell_are_not_there(browser: Browser, tmp_path: Path) -> None:
    well = sample.report({"server-1": sample.host(1, "server", apparmor=sample.item("access"))})
    with shown(browser, tmp_path, well) as one:
        assert one.text("h1") == "1 host as declared."
        assert one.page.locator("h2").all_inner_texts() == [
            "The checklist, host by host",
            "Each host, with what was seen",
        ]
