"""EnvironmentFile= of systemd (systemd.exec(5)); the grammar is its own, not the shell's."""

from __future__ import annotations

import re

_ESCAPED = str.maketrans({sign: f"\\{sign}" for sign in '"\\`$'})

# unichar_is_valid() in systemd's src/basic/utf8.c: it takes these for no valid UTF-8, and refuses the file.
_LAST_OF_PLANES = "".join(chr(plane << 16 | last) for plane in range(17) for last in (0xFFFE, 0xFFFF))
_NONCHARACTER = re.compile(f"[\ufdd0-\ufdef{_LAST_OF_PLANES}]")


def refuses(name: str, value: str) -> str | None:
    """Unicode's noncharacters alone: else what a process can hold it carries in double quotes, line breaks too."""
    if _NONCHARACTER.search(value):
        return "holds a noncharacter of Unicode, for which systemd refuses the whole file: give it in base64"
    return None


def line(name: str, value: str) -> str:
    """Always in double quotes: unquoted, a backslash is eaten and outer blanks are dropped."""
    return f'{name}="{value.translate(_ESCAPED)}"\n'
