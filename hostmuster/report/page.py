"""The report as one HTML page that asks for nothing else: no script, no resource, everything escaped.

Its Content-Security-Policy allows the page's own style by digest and nothing more, should anything ever get through.
"""

from __future__ import annotations

import base64
import hashlib
import os
from functools import partial
from importlib.resources import files
from pathlib import Path

import jinja2
from markupsafe import Markup

from hostmuster.errors import HostmusterError
from hostmuster.report import view
from hostmuster.report.document import Report

VERDICTS = {"passed": "ok", "refuted": "differs", "failed": "failed", "not_run": "not_run"}


def render(report: Report) -> str:
    """The page of a document, which is redacted already."""
    return html(
        _source("page.html.j2"),
        f":root {{ --items: {len(report.checklist)}; }}\n{STYLE}",
        report=report,
        anchor=partial(view.anchor, report),
        headline=view.headline(report),
        host_counts=view.host_counts(report),
        line_counts=view.line_counts(report),
        wrong=view.troubles(report, ("failed", "differs", "skipped")),
        unrun=view.troubles(report, ("not_run",)),
        legend=[status for status, _ in view.line_counts(report)],
        worst=view.worst,
        words=view.WORDS,
        words_of_hosts=view.WORDS_OF_HOSTS,
        signs=view.SIGNS,
        verdicts=VERDICTS,
        moment=view.moment,
    )


def html(template: str, style: str, **values: object) -> str:
    """A page of ours: everything escaped, and its style, of our making alone, is allowed by its digest."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    jinja = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, auto_reload=False
    )
    marked = Markup(style)  # noqa: S704 - files of ours and numbers
    return jinja.from_string(template).render(style=marked, style_digest=f"sha256-{digest}", **values)


def write(path: Path, text: str) -> None:
    """By rename, for its owner alone: it tells of every host. An open browser finds the old page or the new one.

    Raises HostmusterError where it cannot be written.
    """
    new = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
        new.replace(path)
    except OSError as error:
        what = f"the page cannot be written: {error.strerror}"
        raise HostmusterError(what, where=str(path), remedy="choose another place with --out FILE") from error


def _source(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


STYLE = _source("page.css")
"""What all pages look like."""
