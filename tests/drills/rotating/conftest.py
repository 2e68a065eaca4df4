"""Four backends that sign with one ring."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.drills.rotating.signers import Signers, SignersFleet, four_hosts
from tests.lab.own_lab import own_lab


@pytest.fixture(scope="package")
def signers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Signers]:
    """Once for all drills; each leaves it with one key that signs everywhere."""
    with own_lab(tmp_path_factory, "signers", four_hosts, SignersFleet, 1 << 30) as (fleet, lab):
        here = Signers(fleet, lab)
        here.made()
        yield here
