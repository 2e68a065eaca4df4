"""EnvironmentFile= of systemd (systemd.exec(5)); the grammar is its own, not the shell's."""

from __future__ import annotations

_ESCAPED = str.maketrans({sign: f"\\{sign}" for sign in '"\\`$'})


def refuses(name: str, value: str) -> str | None:
    """Nothing: what a process can hold, systemd carries in double quotes, line breaks too."""
    return None


def line(name: str, value: str) -> str:
    """Always in double quotes: unquoted, a backslash is eaten and outer blanks are dropped."""
    return f'{name}="{value.translate(_ESCAPED)}"\n'
