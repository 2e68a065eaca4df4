"""A secret value as somebody gives it: at a hidden prompt, or on standard input; never as an argument."""

from __future__ import annotations

import getpass
import sys
import warnings

from hostmuster.errors import Refused
from hostmuster.secrets.kinds.kind import LONGEST
from hostmuster.secrets.value import Secret


def given(name: str) -> Secret:
    """The value from a prompt (twice) or standard input, where one line loses its line end: `echo` adds it.

    Raises Refused when the two differ.
    """
    if sys.stdin.isatty():
        value = _asked(f"{name} (hidden): ")
        if _asked("again: ") != value:
            raise Refused("the two values differ; nothing was set", where=name)
        return value
    raw = sys.stdin.buffer.read(LONGEST + 1)
    if raw.count(b"\n") == 1 and raw.endswith(b"\n"):
        raw = raw[:-1].removesuffix(b"\r")
    return Secret(raw)


def _asked(prompt: str) -> Secret:
    """Raises Refused where the terminal would show what is typed."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", getpass.GetPassWarning)
        try:
            return Secret(getpass.getpass(prompt))
        except EOFError:
            raise Refused("no value was given; nothing was set") from None
        except getpass.GetPassWarning as error:
            raise Refused(
                "this terminal would show what is typed", remedy="give the value on standard input"
            ) from error
