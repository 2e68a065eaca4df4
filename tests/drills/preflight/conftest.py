"""One lab of replicas that share all they must, and a second Redis."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lab.preflight.replicas import ONE, Replicas, replicas_in


@pytest.fixture(scope="package")
def replicas(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replicas]:
    """Two hosts; the second Redis has the first one's password."""
    with replicas_in(tmp_path_factory.mktemp("wrong"), "wrong") as here:
        here.redis(ONE)
        yield here
