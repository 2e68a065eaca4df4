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
class Settings:
    """Where to listen, who this replica is (H7), and how many seconds running requests get at a stop (R5)."""

    bind: str
    port: int
    host: str
    worker_id: str
    drain_s: float = 30.0


def read(environment: Mapping[str, str]) -> Settings:
    """The settings in an environment. Raises Misconfigured with every mistake at once, without the values."""
    problems: list[str] = []

    def value(name: str, valid: Callable[[str], bool], what: str, default: str = "") -> str:
        text = environment.get(name, default)
        if not text or not valid(text):
            problems.append(f"{name} is {'not valid' if text else 'not set'}: {what}")
        return text

    bind = value("WORKLOAD_BIND", is_address, "an IPv4 address of this host, as 10.213.0.11")
    port = value("WORKLOAD_PORT", is_port, "a port from 1 to 65535")
    host = value("WORKLOAD_HOST", is_name, "this host's name, as server-1")
    worker_id = value("WORKLOAD_WORKER_ID", is_name, "a name no other replica has, as server-1")
    drain = value("WORKLOAD_DRAIN_S", is_drain, "whole seconds from 1 to 3600", default="30")
    if problems:
        raise Misconfigured(problems)
    return Settings(bind, int(port), host, worker_id, float(drain))


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
