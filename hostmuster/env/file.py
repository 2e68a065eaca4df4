"""A whole environment file for one consumer, or why that consumer cannot carry it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, Protocol

from hostmuster.env import docker, shell, systemd
from hostmuster.env.variable import text, too_much_for_linux

Consumer = Literal["systemd", "docker", "shell"]
Values = Mapping[str, str | int | bool]


class Dialect(Protocol):
    """How one consumer writes a variable."""

    def refuses(self, name: str, value: str) -> str | None:
        """Why it cannot carry this variable; None where it can. The reason never shows the value."""

    def line(self, name: str, value: str) -> str:
        """The variable as it reads it."""


_DIALECTS: Mapping[Consumer, Dialect] = {"systemd": systemd, "docker": docker, "shell": shell}


def refusals(consumer: Consumer, values: Values) -> Iterator[str]:
    """Each variable that the consumer cannot carry, with the reason and without the value."""
    for name, value in values.items():
        reason = too_much_for_linux(name, text(value)) or _DIALECTS[consumer].refuses(name, text(value))
        if reason is not None:
            yield f"{name} {reason}"


def render(consumer: Consumer, values: Values) -> bytes:
    """The file: UTF-8 without a byte order mark, LF, a variable a line in the order given (H1).

    Raises ValueError for what the consumer cannot carry: ask `refusals` first.
    """
    if refused := list(refusals(consumer, values)):
        raise ValueError("; ".join(refused))
    return "".join(_DIALECTS[consumer].line(name, text(value)) for name, value in values.items()).encode()
