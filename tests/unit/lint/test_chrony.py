"""chrony's files are read by chronyd itself before any host is touched."""

from __future__ import annotations

import pytest

from hostmuster.lint import chrony
from hostmuster.lint.linter import Artefact


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("server ntp1.example iburst # main\n", "Could not parse server directive at line 1"),
        ("makestp 1 3\n", "Invalid directive at line 1"),
        ("\ufeffserver ntp1.example iburst\n", "Invalid directive at line 1"),
    ],
)
def test_chronyd_would_not_start_with(body: str, reason: str) -> None:
    artefact = Artefact("/etc/chrony/sources.d/x.sources", body.encode())
    (line,) = chrony.parse([artefact])[artefact]
    assert line.startswith(reason)


def test_comments_on_lines_of_their_own_pass() -> None:
    artefact = Artefact("/etc/chrony/conf.d/x.conf", b"# a comment\nmakestep 1 3\n")
    assert chrony.parse([artefact])[artefact] == []
