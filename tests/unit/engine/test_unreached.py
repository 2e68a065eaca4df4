"""A host that cannot be asked is told in one sentence: what the network said, at which address, what to do."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hostmuster.engine.access import Access
from hostmuster.engine.connection import connections
from hostmuster.engine.unreached import Unreached
from tests.items.project import fleet


@pytest.fixture
def closed() -> Iterator[int]:
    """A port of loopback on which nobody listens, kept from whoever asks for a free one."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


def test_a_port_on_which_nobody_listens(tmp_path: Path, closed: int) -> None:
    host = replace(fleet(tmp_path, {}).hosts["worker-1"], address="127.0.0.1", port=closed)
    (way,) = connections([host], Access(tmp_path / "known_hosts")).values()
    with pytest.raises(Unreached) as caught:
        way.run("")
    assert str(caught.value).splitlines() == [
        f"worker-1: no SSH at 127.0.0.1:{closed} (Connection refused)",
        "    see that it is up and answers SSH",
    ]
