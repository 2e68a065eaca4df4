"""A project of the test's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.engine.written import Written


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Written:
    for variable in ("XDG_CONFIG_HOME", "SOPS_AGE_KEY_FILE", "HOSTMUSTER_SECRETS"):
        monkeypatch.delenv(variable, raising=False)
    return Written(tmp_path)
