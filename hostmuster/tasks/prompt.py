"""What a person at the terminal is asked before something that is not taken back; `yes` and pipes are never asked."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from hostmuster.errors import HostFailed, Refused
from hostmuster.tasks.engine import asked
from hostmuster.tasks.events import Failed, Json
from hostmuster.tasks.job import Job, Options


def somebody_is_there(options: Options) -> bool:
    """Whether a question would be seen and could be answered."""
    return not options.yes and sys.stdin.isatty() and sys.stderr.isatty()


def seen(question: Job) -> Mapping[str, Json]:
    """What the engine says beforehand. Raises Refused or HostFailed in its own words where it says nothing."""
    end = asked(question)
    if isinstance(end, Failed):
        raise (Refused if end.exit == Refused.exit_code else HostFailed)(end.text)
    return end.document


def typed(question: Sequence[str], wanted: str, refused: Refused) -> str:
    """The wanted word, typed. Raises `refused` for any other, and for none."""
    print("\n".join(question), end="", file=sys.stderr, flush=True)
    try:
        answer = input().strip()
    except EOFError:
        answer = ""
    if answer != wanted:
        raise refused
    return answer
