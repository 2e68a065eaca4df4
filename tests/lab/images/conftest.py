"""Two bare hosts, Debian 12 and 13, and a project whose checklist is access, images and containers."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.lab.images.site import Site, started


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One image and one container are declared, and made by one apply."""
    with started(tmp_path_factory.mktemp("images") / "project", f"test-{os.getpid()}-images") as here:
        here.apply()
        yield here
