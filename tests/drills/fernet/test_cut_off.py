"""A migration whose controller is killed at each of its acts: another clone ends it, or puts every row back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.drills.fernet.encrypted import MIGRATING
from tests.drills.fernet.interrupted import NOTHING, RECORD, Interrupted

POINTS = {
    "while rows are dumped": ("dump", "", NOTHING),
    "dumped, and not on record": ("dump", "switched.4", NOTHING),
    "dumped, and on record": ("dump", "switched.5", "dumped"),
    "all rows changed, and not on record": ("after-migrate", "", "migrating"),
}


@pytest.mark.parametrize("point", POINTS)
def test_a_controller_killed_leaves_rows_that_another_clone_migrates_or_puts_back(
    encrypted: Interrupted, tmp_path: Path, point: str
) -> None:
    act, step, record = POINTS[point]
    encrypted.declare()
    before, sealed = encrypted.key, encrypted.stored()
    encrypted.orphaned(encrypted.stopped_at(act, step))
    assert encrypted.on(MIGRATING, RECORD) == record
    encrypted.nobody_serves()
    encrypted.is_over(tmp_path, before, sealed, put_back=record == "migrating")
