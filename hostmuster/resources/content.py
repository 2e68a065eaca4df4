"""What public text files hold: certificates, public keys. Never asked of a file that may hold a secret."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hostmuster.resources.resource import Probe


def _split(output: str, keys: Sequence[str]) -> Mapping[str, str]:
    found: dict[str, list[str]] = {}
    for line in output.splitlines():
        path, _, text = line.partition(":")
        found.setdefault(path, []).append(text)
    return {path: "\n".join(lines) for path, lines in found.items()}


CONTENT = Probe("content", ("grep", "-asH", "", "--"), _split)
"""A file's lines without the last line's end. An empty file is as an absent one."""
