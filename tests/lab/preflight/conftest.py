"""One lab of replicas that share all they must."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lab.preflight.replicas import Replicas, replicas_in


@pytest.fixture(scope="package")
def replicas(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replicas]:
    """Two hosts."""
    with replicas_in(tmp_path_factory.mktemp("preflight"), "preflight") as here:
        yield here
