"""A service that is stopped, and stays so over a boot, until it is started again: steps and questions (K5, K7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from hostmuster.resources.step import Meet, Run, Step

_FOLDER: Final = "/var/lib/hostmuster/halted"

# Since when, and whether it started at boot: kept from before where a run was cut off. One that somebody has started
# since stops now; whether it started at boot is what it was.
_MARK: Final = f"""\
was=$(systemctl is-enabled -- "$1" 2>/dev/null)
if [ -f "{_FOLDER}/$1" ]; then
    systemctl is-active -q -- "$1" || exit 0
    IFS=' ' read -r _ before <"{_FOLDER}/$1"
    case $before in enabled*) was=$before ;; esac
fi
install -d -m 0700 {_FOLDER} && echo "$(date +%s.%6N) $was" >"{_FOLDER}/.$1" &&
    mv "{_FOLDER}/.$1" "{_FOLDER}/$1" && sync -- "{_FOLDER}/$1" {_FOLDER}"""
_START: Final = f"""\
was='' && [ ! -f "{_FOLDER}/$1" ] || IFS=' ' read -r _ was <"{_FOLDER}/$1"
case $was in enabled*) systemctl enable -q -- "$1" || exit ;; esac
systemctl reset-failed -- "$1" 2>/dev/null
systemctl start -- "$1\""""
# What was not halted, that is no less enabled for having been started in vain.
_BACK: Final = f"""\
if [ -f "{_FOLDER}/$1" ]; then systemctl disable -q --now -- "$1"; else systemctl stop -- "$1"; fi"""
_FORGET: Final = f'cd {_FOLDER} 2>/dev/null || exit 0; rm -f -- "$@" && sync -- .'
_RECALL: Final = f"""\
cd {_FOLDER} || exit 0
while [ $# -gt 0 ]; do
    [ -f "$1" ] || {{ echo "$2" >".$1" && sync -- ".$1" && mv -- ".$1" "$1"; }}
    shift 2
done
sync -- ."""
_MARKS: Final = f"""\
cd {_FOLDER} 2>/dev/null || exit 0
for unit; do [ ! -f "$unit" ] || echo "$unit $(cat "$unit")"; done"""
_HELD: Final = f'for unit; do [ -f "{_FOLDER}/$unit" ] && ! systemctl is-active -q -- "$unit" || exit 1; done'
_READY: Final = """\
for unit; do
    when=ActiveEnterTimestamp
    if ! systemctl is-active -q -- "$unit"; then
        [ "$(systemctl show -p Type --value -- "$unit")" = oneshot ] || continue
        when=InactiveEnterTimestamp
    fi
    at=$(systemctl show -p "$when" --timestamp=us+utc --value -- "$unit")
    [ -z "$at" ] || date -d "$at" +%s.%6N
done"""


def halted(units: Iterable[str]) -> list[Step]:
    """Stopped as its definition says, and not started at boot; all hosts begin with it at the same moment."""
    steps: list[Step] = [Meet()]
    for unit in units:
        steps.append(Run(("sh", "-c", _MARK, "sh", unit), undo=_shell(_FORGET, unit)))
        steps.append(Run(("systemctl", "stop", "--", unit), undo=("systemctl", "start", "--", unit)).patient)
        steps.append(Run(("systemctl", "disable", "-q", "--", unit), undo=("systemctl", "enable", "-q", "--", unit)))
    return steps


def started(units: Sequence[str], kept: Mapping[str, str]) -> list[Step]:
    """As it was before it was halted; systemd says when it is ready.

    `kept`: what `marks` told. Taken back at whatever step, they are halted since when they were.
    """
    ups = [Run(_shell(_START, unit), undo=_shell(_BACK, unit)).patient for unit in units]
    words = [word for unit in units if unit in kept for word in (unit, kept[unit])]
    return [Meet(), *ups, Run(_shell(_FORGET, *units), undo=_shell(_RECALL, *words))]


def is_held(units: Sequence[str]) -> tuple[str, ...]:
    """Exits 0 where all of them are halted."""
    return _shell(_HELD, *units)


def marks(units: Sequence[str]) -> tuple[str, ...]:
    """Prints, a line for each that was halted: its name, since when by the host's clock (seconds since 1970), and
    whether it started at boot."""
    return _shell(_MARKS, *units)


def parsed(text: str) -> dict[str, str]:
    """What `marks` prints, by unit."""
    return {unit: mark for unit, _, mark in (line.partition(" ") for line in text.splitlines())}


def ready(units: Sequence[str]) -> tuple[str, ...]:
    """Prints when each got ready, in seconds since 1970 by the host's clock; nothing of one that is not."""
    return _shell(_READY, *units)


def _shell(script: str, *words: str) -> tuple[str, ...]:
    return ("sh", "-c", script, "sh", *words)
