"""The names of secrets: safe as a YAML key, in a SOPS path and in a file's path."""

from __future__ import annotations

import re
from typing import Final

from hostmuster.secrets.kinds.kind import mistake

_SEGMENT = r"[a-z0-9]+(?:-[a-z0-9]+)*"
_NAME = re.compile(rf"(?=[a-z]){_SEGMENT}(?:/{_SEGMENT})?")
_YAML_WORDS: Final = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})


def check_name(name: str) -> None:
    """Raises InputError: names are lower-case words joined by `-`, with at most one `/`."""
    if not _NAME.fullmatch(name) or len(name) > 63 or name in _YAML_WORDS:
        shown = name if len(name) <= 80 and name.isprintable() else f"{len(name)} characters"
        raise mistake(
            f"the name {shown!r}",
            "not a name for a secret",
            "lower-case letters, digits, single `-`, at most one `/`, as in ssh-ca or operator/alice",
        )
