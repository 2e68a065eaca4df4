"""A file for the shell's `.`: exported variables, for dash and bash alike."""

from __future__ import annotations

_KEPT_BY_SHELL = frozenset(
    (
        "_", "BASHOPTS", "BASH_ARGC", "BASH_ARGV", "BASH_ARGV0", "BASH_COMMAND", "BASH_LINENO", "BASH_SOURCE",
        "BASH_SUBSHELL", "BASH_VERSINFO", "BASHPID", "COMP_WORDBREAKS", "DIRSTACK", "EPOCHREALTIME", "EPOCHSECONDS",
        "EUID", "FUNCNAME", "GROUPS", "HISTCMD", "IFS", "LINENO", "OPTIND", "PPID", "PWD", "RANDOM", "SECONDS",
        "SHELLOPTS", "SRANDOM", "UID",
    )
)  # fmt: skip


def refuses(name: str, value: str) -> str | None:
    """Names that dash or bash keep for themselves: read-only, computed, or changing how they read on."""
    if name in _KEPT_BY_SHELL:
        return "is a name that the shell keeps for itself: choose another"
    return None


def line(name: str, value: str) -> str:
    """In single quotes, in which nothing is expanded or run."""
    quoted = value.replace("'", "'\\''")
    return f"export {name}='{quoted}'\n"
