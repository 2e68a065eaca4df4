"""What is refused before a step was taken was refused; after one it is a failure, with every reason kept."""

from __future__ import annotations

from io import StringIO

import pytest

from hostmuster.engine.record import Record
from hostmuster.errors import HostFailed, HostmusterError, Refused, RefusedByHosts
from hostmuster.report.redaction import Redaction

HELD = RefusedByHosts([Refused("is at work on it", where=host, remedy="wait for it") for host in ("a", "b")])


def record() -> Record:
    return Record(Redaction(()), stream=StringIO())


def test_what_is_refused_before_any_step_stays_refused() -> None:
    with pytest.raises(Refused) as seen, record().forward("the same again"):
        raise HELD
    assert seen.value is HELD


def test_what_is_refused_after_a_step_is_a_failure_that_names_every_host_and_the_way_on() -> None:
    taken = record()
    taken.step("signing", "store: publish key-2")
    with pytest.raises(HostmusterError) as seen, taken.forward("the same again"):
        raise HELD
    assert isinstance(seen.value, HostFailed)
    assert seen.value.exit_code == 1
    lines = "a: is at work on it\n    wait for it\nb: is at work on it\n    wait for it\n    the same again"
    assert str(seen.value) == lines


def test_a_step_is_kept_before_it_is_told() -> None:
    said = StringIO()
    taken = Record(Redaction(()), stream=said)
    kept: list[tuple[int, str]] = []
    taken.on_step = lambda: kept.append((len(taken.steps), said.getvalue()))
    taken.step("signing", "store: publish key-2")
    assert kept == [(1, "")]
    assert "store: publish" in said.getvalue()
