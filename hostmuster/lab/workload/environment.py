"""Reading a backend's environment: switches, numbers, and secrets that are given as text or in a file (K1, K2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ParamSpec, TypeVar

from .settings import Misconfigured

Environment = Mapping[str, str]
Given = ParamSpec("Given")
Read = TypeVar("Read")

_CREDENTIALS = re.compile(r"(%d|\$CREDENTIALS_DIRECTORY|\$\{CREDENTIALS_DIRECTORY\})(?=/)")


class Problems:
    """Collects what several readers find wrong, so that all of it is told at once."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def of(self, read: Callable[Given, Read], *args: Given.args, **named: Given.kwargs) -> Read | None:
        """What is read; None where that cannot be had, which is remembered."""
        try:
            return read(*args, **named)
        except Misconfigured as error:
            self.found += error.problems
            return None

    def end(self) -> None:
        """Raises Misconfigured with all of them, if there are any."""
        if self.found:
            raise Misconfigured(list(dict.fromkeys(self.found)))


def switch(environment: Environment, name: str) -> bool:
    """A switch; off where it is not set. Raises Misconfigured for a value that is none."""
    given = environment.get(name, "").strip().lower()
    if given not in ("true", "1", "yes", "on", "false", "0", "no", "off", ""):
        raise Misconfigured([f"{name} is not valid: true or false"])
    return given in ("true", "1", "yes", "on")


def seconds(environment: Environment, name: str, default: int) -> int:
    """Whole seconds of a life, from 1 to a day. Raises Misconfigured."""
    given = environment.get(name, str(default))
    if not (given.isascii() and given.isdigit() and len(given) <= 5 and 1 <= int(given) <= 86400):
        raise Misconfigured([f"{name} is not valid: whole seconds from 1 to 86400"])
    return int(given)


def number(environment: Environment, name: str, default: int, most: int) -> int:
    """A whole number from 0 to `most`. Raises Misconfigured."""
    given = environment.get(name, str(default))
    if not (given.isascii() and given.isdigit() and len(given) <= 9 and int(given) <= most):
        raise Misconfigured([f"{name} is not valid: a whole number, at most {most}"])
    return int(given)


def several(environment: Environment) -> bool:
    """Whether this process is one of several (K1). Raises Misconfigured where that cannot be told."""
    problems = Problems()
    declared = problems.of(switch, environment, "BACKEND_MULTI_INSTANCE")
    processes = [problems.of(_processes, environment, name) for name in ("WEB_CONCURRENCY", "UVICORN_WORKERS")]
    problems.end()
    return bool(declared) or any(number and number > 1 for number in processes)


def secret(environment: Environment, name: str) -> str | None:
    """The text of NAME, else of the file that NAME_FILE names; None where neither is set. Raises Misconfigured."""
    if given := environment.get(name):
        return given
    path = path_of(environment, f"{name}_FILE")
    return None if path is None else text_of(path, f"{name}_FILE")


def path_of(environment: Environment, name: str) -> Path | None:
    """A path; `%d` or `$CREDENTIALS_DIRECTORY` at its beginning is where systemd put the unit's credentials.

    systemd itself expands neither in an EnvironmentFile (systemd.exec(5)). Raises Misconfigured.
    """
    given = environment.get(name)
    if not given:
        return None
    found = _CREDENTIALS.match(given)
    if found and not environment.get("CREDENTIALS_DIRECTORY"):
        raise Misconfigured([f"{name} is in the folder of the unit's credentials, and the unit has none"])
    path = Path(environment["CREDENTIALS_DIRECTORY"] + given[found.end() :] if found else given)
    if not path.is_absolute():
        raise Misconfigured([f"{name} is not valid: an absolute path, or one that begins with %d/"])
    return path


def text_of(path: Path, name: str) -> str:
    """A file's text, without a line end at its end. Raises Misconfigured."""
    try:
        return path.read_text().removesuffix("\n")
    except OSError as error:
        raise Misconfigured([f"{name} names a file that cannot be read: {error.strerror}"]) from error
    except UnicodeDecodeError:
        pass
    raise Misconfigured([f"{name} names a file that is not text"])  # out here: the handler's exception has the content


def _processes(environment: Environment, name: str) -> int:
    given = environment.get(name) or "1"
    if not (given.isascii() and given.isdigit() and len(given) <= 6):
        raise Misconfigured([f"{name} is not valid: a number of processes"])
    return int(given)
