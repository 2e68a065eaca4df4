"""The host that has the rows in hand loses its power at each stage: other clones end it, or put every row back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.drills.fernet.encrypted import MIGRATING, ROWS
from tests.drills.fernet.interrupted import RECORD, Interrupted


@pytest.mark.parametrize(("point", "changed"), [("half-migrate", 0), ("after-migrate", ROWS)])
def test_rows_whose_host_loses_its_power_while_they_change_are_put_back(
    encrypted: Interrupted, tmp_path: Path, point: str, changed: int
) -> None:
    encrypted.migrates_by_half()
    before, sealed = encrypted.key, encrypted.stored()
    done = encrypted.darkened(encrypted.stopped_at(point))
    assert done.exit == 1, done.output
    assert encrypted.on(MIGRATING, RECORD) == "migrating"
    assert encrypted.opened_by_store() == (ROWS - changed, changed)
    encrypted.nobody_serves()
    encrypted.is_over(tmp_path, before, sealed, put_back=True)
