"""A value as the fleet file types it, and the one text that every consumer shall end up with."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from hostmuster.model.types import wrong

LONGEST_BYTES = 128 * 1024 - 1
"""The kernel takes no longer `NAME=value`, its end included (execve(2): MAX_ARG_STRLEN)."""


def _typed(value: object) -> object:
    if isinstance(value, str | int):
        return value
    found = {float: "a fraction", type(None): "nothing", dict: "a mapping", list: "a list"}.get(type(value), "another")
    raise wrong(f"{found} where a variable's value is expected", "write text in quotes, a whole number, true or false")


EnvValue = Annotated[str | int | bool, BeforeValidator(_typed), Field(examples=["text", 8080, True])]
"""Text, a whole number or a switch. Complaints about it never show it."""


def text(value: str | int | bool) -> str:
    """Text as it is, numbers in decimal digits, switches as `true` and `false`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def too_much_for_linux(name: str, value: str) -> str | None:
    """Why no process can be given this variable, whoever reads the file; None where one can."""
    if "\0" in value:
        return "holds a NUL, which ends a variable"
    try:
        size = len(f"{name}={value}".encode())
    except UnicodeEncodeError:
        return "is not valid Unicode"
    if size >= LONGEST_BYTES:
        return f"has {size} bytes; a process takes less than {LONGEST_BYTES}"
    return None
