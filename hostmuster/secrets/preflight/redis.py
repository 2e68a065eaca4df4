"""A shared Redis, shown by keys: each replica sets one, where its own process's REDIS_URL leads it (K1)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from hostmuster.secrets.preflight.mark import Ask, Verb

# The URL and its password are read from the process, by the program that speaks; the program comes on standard input.
_MARK: Final = """\
verb=$1 unit=$2
shift 2
pid=$(systemctl show -p MainPID --value -- "$unit")
[ "${pid:-0}" -gt 0 ] || { echo "unknown $unit does not run"; exit 0; }
command -v python3 >/dev/null || { echo "unknown python3 is not installed: nothing there speaks to Redis"; exit 0; }
exec nsenter -t "$pid" -n -- python3 -I - "$verb" "$pid" "$@" <<'END'
"""


def asking(unit: str, run: str) -> Ask:
    """`run`: what nobody else's keys are called."""

    def ask(verb: Verb, me: str, others: Sequence[str]) -> tuple[str, ...]:
        return ("sh", "-c", f"{_MARK}{_program()}END\n", "sh", verb, unit, run, me, *others)

    return ask


@cache
def _program() -> str:
    return files(__package__).joinpath("redis_mark.py").read_text("utf-8")
