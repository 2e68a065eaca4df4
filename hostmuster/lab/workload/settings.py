"""What the workload is told by its environment; without all of it, it refuses to start (R2)."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


class Misconfigured(Exception):
    """The environment is incomplete or wrong; `problems` has one line for each mistake."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True)
class Who:
    """Who this replica is (H7), and how many seconds what it has in work gets at a stop (R5)."""

    host: str
    worker_id: str
    drain_s: float


@dataclass(frozen=True)
class Settings(Who):
    """Where to listen, too."""

    bind: str
    port: int


def read(environment: Mapping[str, str]) -> Settings:
    """The settings in an environment. Raises Misconfigured with every mistake at once, without the values."""
    given = _Given(environment)
    bind = given.value("WORKLOAD_BIND", is_address, "an IPv4 address of this host, as 10.213.0.11")
    port = given.value("WORKLOAD_PORT", is_port, "a port from 1 to 65535")
    who = given.who()
    given.end()
    return Settings(*who, bind, int(port))


def read_who(environment: Mapping[str, str]) -> Who:
    """The same of a process that does not listen."""
    given = _Given(environment)
    who = given.who()
    given.end()
    return Who(*who)


class _Given:
    """Reads one variable after the other, and remembers what is wrong with each."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._problems: list[str] = []

    def value(self, name: str, valid: Callable[[str], bool], what: str, default: str = "") -> str:
        text = self._environment.get(name, default)
        if not text or not valid(text):
            self._problems.append(f"{name} is {'not valid' if text else 'not set'}: {what}")
        return text

    def who(self) -> tuple[str, str, float]:
        host = self.value("WORKLOAD_HOST", is_name, "this host's name, as server-1")
        worker_id = self.value("WORKLOAD_WORKER_ID", is_name, "a name no other replica has, as server-1")
        drain = self.value("WORKLOAD_DRAIN_S", is_drain, "whole seconds from 1 to 3600", default="30")
        return host, worker_id, float(drain) if is_drain(drain) else 0.0

    def end(self) -> None:
        if self._problems:
            raise Misconfigured(self._problems)


def is_name(text: str) -> bool:
    """Whether a text is a host's or worker's name."""
    return NAME.fullmatch(text) is not None


def is_port(text: str) -> bool:
    """Whether a text is a TCP port in plain digits."""
    return is_number(text) and 1 <= int(text) <= 65535


def is_drain(text: str) -> bool:
    """Whether a text is a drain budget in seconds."""
    return is_number(text) and 1 <= int(text) <= 3600


def is_number(text: str) -> bool:
    """Whether a text is a whole number of a sane length."""
    return text.isascii() and text.isdigit() and len(text) <= 6


def is_address(text: str) -> bool:
    """Whether a text is an IPv4 address."""
    try:
        ipaddress.IPv4Address(text)
    except ValueError:
        return False
    return True
