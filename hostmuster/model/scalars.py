"""What an unquoted YAML word means: YAML 1.2's core schema, and nothing that YAML 1.1 reads differently.

Source: YAML 1.2.2, section 10.3.2. Words that a YAML 1.1 reader takes for something else (no, on, 22:22,
0644) are refused, since the person and the next tool may read them the other way.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

Scalar = None | bool | int | float | str

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOL = {word: word.lower() == "true" for word in ("true", "True", "TRUE", "false", "False", "FALSE")}
_INT = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_BOUNDLESS = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")

_SWITCH = re.compile(r"yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9_]+")
_SEXAGESIMAL = re.compile(r"[-+]?[0-9][0-9_]*(:[0-9]+)+(\.[0-9_]*)?")
_BASED = re.compile(r"[-+]?0[box][0-9A-Fa-f_]+")
_UNDERSCORED = re.compile(r"[-+]?[0-9][0-9_]*_[0-9_]*(\.[0-9_]*)?")
_DIGITS = 18  # what every reader of JSON and of 64-bit integers still carries


@dataclass(frozen=True)
class Trap:
    """An unquoted word that is read in more than one way: what is wrong, and what to write instead."""

    what: str
    remedy: str


def plain(word: str) -> Scalar | Trap:
    """The value of an unquoted word, or why it is refused. Whatever is none of the core schema's is text."""
    if word in _NULL:
        return None
    if word in _BOOL:
        return _BOOL[word]
    trap = _trap(word)
    if trap:
        return trap
    if _INT.fullmatch(word):
        return int(word)
    if _FLOAT.fullmatch(word):
        return float(word)
    return word


def _trap(word: str) -> Trap | None:
    quoted = f'write "{word}", in quotes, if text is meant'
    if _SWITCH.fullmatch(word):
        return Trap(
            f"`{word}` without quotes is a switch to one YAML reader and text to another",
            f"write true or false for a switch; {quoted}",
        )
    if _LEADING_ZERO.fullmatch(word):
        return Trap(
            f"`{word}` with a leading zero is octal to one YAML reader and decimal to another",
            f'write "{word}", in quotes (a file mode is text); a number has no leading zero',
        )
    if _SEXAGESIMAL.fullmatch(word):
        return Trap(f"`{word}` without quotes is a number in base 60 to one YAML reader and text to another", quoted)
    if _BASED.fullmatch(word) or _UNDERSCORED.fullmatch(word):
        return Trap(
            f"`{word}` is a number to one YAML reader and text to another",
            f"write a decimal number, digits only; {quoted}",
        )
    if _BOUNDLESS.fullmatch(word):
        return Trap(f"`{word}` is no number that can be carried out", f"write a number; {quoted}")
    if _INT.fullmatch(word) and len(word) > _DIGITS:
        return Trap(
            f"a number of {len(word)} digits",
            f"numbers have at most {_DIGITS} digits; quote it if it is text",
        )
    return None
