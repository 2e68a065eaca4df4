"""The hosts of tests/lab/images, for what takes longer."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.lab.images.site import Site, started


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One image and one container are declared, and made by one apply."""
    with started(tmp_path_factory.mktemp("images") / "project", f"test-{os.getpid()}-image-drills") as here:
        here.apply()
        yield here
