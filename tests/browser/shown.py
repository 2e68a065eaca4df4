"""A report opened in the browser, with all that it said and asked for on the way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page

from hostmuster.report.document import Report
from hostmuster.report.page import render, write

Scheme = Literal["light", "dark"]
DESKTOP, PHONE = 1280, 390


@dataclass
class Shown:
    """The open page. `said`: on the console, errors among it; `asked`: every address that it requested."""

    page: Page
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def text(self, selector: str) -> str:
        """What a reader sees there."""
        return self.page.inner_text(selector)


@contextmanager
def shown(
    browser: Browser, folder: Path, report: Report, width: int = DESKTOP, scheme: Scheme = "light"
) -> Iterator[Shown]:
    """The report's page at this width."""
    path = folder / "report.html"
    write(path, render(report))
    context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme, offline=True)
    try:
        one = Shown(context.new_page())
        one.page.on("console", lambda message: one.said.append(message.text))
        one.page.on("pageerror", lambda error: one.said.append(str(error)))
        one.page.on("request", lambda request: one.asked.append(request.url))
        one.page.goto(path.as_uri())
        yield one
    finally:
        context.close()
