"""Stands where the engine process stands: reads a job, says what its arguments tell it to, and ends; tests write those.

Arguments: `print TEXT` a line on standard output, `exit CODE`, `echo-job` the job as the result's document,
`wait-for-interrupt` until SIGINT, then say so and go on, `kill` end by SIGKILL.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Mapping


def engine(*words: str) -> tuple[str, ...]:
    """The command that stands for the engine's."""
    return (sys.executable, __file__, *words)


def event(**fields: object) -> str:
    """A line of the engine's."""
    return json.dumps(fields)


def item(host: str, name: str, status: str, **fields: object) -> str:
    """An item that is done on a host."""
    return event(event="item", host=host, item=name, status=status, **fields)


def hosts(**items: dict[str, str]) -> dict[str, object]:
    """The result's document for hosts with items of a status."""
    return {
        "fleet": "lab",
        "hosts": {
            host: {"reachable": True, "items": {name: {"status": status} for name, status in states.items()}}
            for host, states in items.items()
        },
    }


def result(document: Mapping[str, object], code: int) -> tuple[str, ...]:
    """Words that end it with this document and exit code."""
    return ("print", event(event="result", document=document, exit=code), "exit", str(code))


def main(words: list[str]) -> int:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    job = json.load(sys.stdin)
    while words:
        match words.pop(0):
            case "print":
                print(words.pop(0), flush=True)
            case "echo-job":
                print(json.dumps({"event": "result", "document": job, "exit": 0}), flush=True)
            case "wait-for-interrupt":
                try:
                    print("waiting", file=sys.stderr, flush=True)
                    time.sleep(30)
                except KeyboardInterrupt:
                    print("hosts put in order", file=sys.stderr, flush=True)
            case "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            case "exit":
                return int(words.pop(0))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
