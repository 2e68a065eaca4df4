"""Runs the engine in a process of its own, shows what it says, and ends with its exit code.

The engine is patched by gevent and imports what takes long; the command line does neither.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING

from hostmuster.tasks.events import Event, Failed, Result, parse
from hostmuster.tasks.job import Job

if TYPE_CHECKING:
    from hostmuster.tasks.display import Display

# -P: a file in the operator's working directory never stands in for a module.
ENGINE = (sys.executable, "-P", "-m", "hostmuster.engine")
# Of commands that change hosts.
IN_ORDER = "interrupted: the hosts are being put in order; once more ends at once"
RESUMED = "\n    the next apply resumes or takes back what is open on a host"


def run_engine(job: Job, *, as_json: bool, every_effect: bool = False, command: Sequence[str] = ENGINE) -> int:
    """Run a job and show it. Returns the exit code of the contract (0 to 3; 1 when interrupted).

    With `as_json` exactly one document goes to standard output: the result's, or `{"error", "exit"}`.
    """
    started = time.monotonic()
    with Interruptions("" if job.only_looks else IN_ORDER) as interruptions:
        process = start(command)
        interruptions.pass_to(process)
        send(process, job.to_json())
        # Only now: importing rich takes as long as the engine needs to come up.
        from hostmuster.tasks.display import Display

        display = Display(json=as_json, every_effect=every_effect)
        try:
            last = follow(process, display)
        finally:
            display.stop()
            code = process.wait()
    end = ending(code, last, interruptions.seen, "" if job.only_looks else RESUMED)
    if isinstance(end, Failed) and not isinstance(last, Failed):
        display.show(end)
    display.finish(time.monotonic() - started)
    if as_json:
        document = end.document if isinstance(end, Result) else {"error": end.text, "exit": end.exit}
        print(json.dumps(document, indent=2))
    return end.exit


def asked(job: Job, command: Sequence[str] = ENGINE) -> Failed | Result:
    """Run a job that only asks, and show nothing: how it ended is for the caller."""
    last: Event | None = None
    with Interruptions() as interruptions:
        process = start(command)
        interruptions.pass_to(process)
        send(process, job.to_json())
        assert process.stdout is not None  # noqa: S101 - started with a pipe
        for event in map(parse, process.stdout):
            last = event if isinstance(event, Failed | Result) else last
        code = process.wait()
    return ending(code, last, interruptions.seen, "")


def start(command: Sequence[str]) -> subprocess.Popen[str]:
    """The engine, in a process group of its own: a Ctrl-C reaches it once, from us, not twice.

    It starts with SIGINT held back, and lets it in once it can answer.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            process_group=0,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def send(process: subprocess.Popen[str], document: str) -> None:
    """Give the engine its job. One that died before reading it is seen by its exit code."""
    assert process.stdin is not None  # noqa: S101 - started with a pipe
    with suppress(BrokenPipeError):
        process.stdin.write(document + "\n")
    with suppress(BrokenPipeError):
        process.stdin.close()


def follow(process: subprocess.Popen[str], display: Display) -> Event | None:
    """Show every event until the engine closes its output; the last of those that end a run, or None."""
    assert process.stdout is not None  # noqa: S101 - started with a pipe
    last: Event | None = None
    for line in process.stdout:
        event = parse(line)
        if event is None:
            print(line, end="", file=sys.stderr)
            continue
        display.show(event)
        if isinstance(event, Failed | Result):
            last = event
    return last


def ending(code: int, last: Event | None, interrupted: bool, resumed: str) -> Failed | Result:
    """How the run ended, from the engine's exit code and its last word. `resumed`: what becomes of what is open."""
    if isinstance(last, Result) and not interrupted and code in range(4):
        return Result(last.document, code)
    if isinstance(last, Failed):
        return Failed(last.text, 1 if interrupted or code not in range(1, 4) else code, interrupted)
    if interrupted:
        return Failed(f"interrupted{resumed}", 1, interrupted)
    if code < 0:
        return Failed(f"the engine was ended by {signal.Signals(-code).name}{resumed}", 1)
    return Failed(f"the engine ended without a result (exit code {code}){resumed}", code if code in (2, 3) else 1)


class Interruptions:
    """While it holds, SIGINT, SIGTERM and SIGHUP interrupt the engine, which puts its hosts in order first.

    A second one kills the engine: what is open on a host then waits for the next run (or its own timer).
    A signal that was ignored at our start (nohup) stays ignored. `told`: what is said at once of the first one.
    """

    def __init__(self, told: str = "") -> None:
        self.seen = False
        self._told = told
        self._process: subprocess.Popen[str] | None = None
        self._before: dict[signal.Signals, signal._HANDLER] = {}

    def __enter__(self) -> Interruptions:
        # Before the engine starts: a handler is reset to the default across exec, an ignored signal is not,
        # and a shell starts its background jobs with SIGINT ignored.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def pass_to(self, process: subprocess.Popen[str]) -> None:
        """The engine has been started: one that came before goes to it now."""
        self._process = process
        if self.seen:
            process.send_signal(signal.SIGINT)

    def _handle(self, _number: int, _frame: FrameType | None) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL if self.seen else signal.SIGINT)
        if not self.seen and self._told:
            # Not print: what the signal has interrupted may be writing there itself.
            with suppress(OSError):
                os.write(2, f"{self._told}\n".encode())
        self.seen = True
