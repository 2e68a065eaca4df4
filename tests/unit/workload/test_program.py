"""The digest by which a running workload says which source it was started from."""

from __future__ import annotations

from hostmuster.lab.workload.program import digest, own_source
from hostmuster.lab.workload_service import source


def test_what_is_shipped_and_what_runs_are_told_by_one_digest() -> None:
    assert digest(own_source()) == digest(source())


def test_another_content_name_or_border_is_another_program() -> None:
    bodies = ({"a": b"x"}, {"a": b"y"}, {"b": b"x"}, {"a": b"x", "b": b""}, {"a": b"xb 0\n"})
    assert len({digest(body) for body in bodies}) == len(bodies)
