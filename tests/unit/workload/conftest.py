"""The workload's folder as on a host, and keys for it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from hostmuster.secrets import rsa_key
from tests.unit.workload.process import Workload, running

SOURCE = Path(__file__).parents[3] / "hostmuster" / "lab" / "workload"


@pytest.fixture(scope="module")
def opt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as a host's /opt: the workload's files in it, nothing of hostmuster."""
    folder = tmp_path_factory.mktemp("opt")
    shutil.copytree(SOURCE, folder / "workload", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture
def workload(opt: Path) -> Iterator[Workload]:
    """The plain one."""
    with running(opt) as one:
        yield one


@pytest.fixture(scope="session")
def pems() -> tuple[str, str, str]:
    """Three signing keys."""
    first, second, third = (rsa_key.generate().text() for _ in range(3))
    return first, second, third
