"""The page holds no known secret, and stands alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hostmuster.engine.record import Record
from hostmuster.errors import HostmusterError
from hostmuster.report.document import Report
from hostmuster.report.page import render, write
from hostmuster.report.redaction import Redaction
from hostmuster.secrets.value import Secret
from tests.browser.hostile import HOSTILE, hostile
from tests.browser.sample import four


def test_what_a_host_lets_slip_is_not_on_the_page() -> None:
    record = Record(Redaction([Secret(b"a <secret> & more")]))
    told = four().model_dump(mode="json")
    told["hosts"]["server-2"]["items"]["env_files"]["differences"] = ["value is a <secret> & more"]
    page = render(Report.model_validate_json(record.redacted(told)))
    assert "value is [redacted]" in page
    assert "secret" not in page.lower()


def test_nothing_is_fetched_and_nothing_of_a_hosts_is_markup() -> None:
    page = render(hostile())
    assert HOSTILE not in page
    body = page.partition("</style>")[2]
    assert not re.search(r"<(script|img|link|iframe|style)|href=\"(?!#)", body)
    assert page.count("<style>") == page.count("</style>") == 1


def test_a_new_page_takes_the_place_of_the_old_one_whole_and_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "lab" / "report.html"
    for text in ("old", "new"):
        write(path, text)
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_a_place_where_no_page_can_be_says_so_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file" / "report.html", tmp_path):
        with pytest.raises(HostmusterError, match="the page cannot be written") as caught:
            write(place, "")
        assert "--out" in str(caught.value)
