"""One timed run of one tool: its processes from the first exec to the last end."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from hostmuster.errors import HostmusterError

PATIENCE_S = 1800


@dataclass(frozen=True)
class Process:
    """A process to start. `stdin` is a file, so that giving it costs this process nothing while the clock runs."""

    argv: tuple[str, ...]
    folder: Path
    stdin: Path = Path(os.devnull)
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Finished:
    """What a run took, in seconds, and what each of its processes wrote to standard output and to standard error."""

    seconds: float
    outputs: tuple[str, ...]
    errors: tuple[str, ...]


def run(processes: Sequence[Process]) -> Finished:
    """Starts all at once and waits for all. Raises HostmusterError for one that does not end with 0."""
    with ExitStack() as open_files:
        streams = [_streams(open_files, process) for process in processes]
        began = time.monotonic()
        started = [_start(process, *three) for process, three in zip(processes, streams, strict=True)]
        for one in started:
            one.wait(PATIENCE_S)
        seconds = time.monotonic() - began
        finished = Finished(
            seconds, tuple(_text(out) for _, out, _ in streams), tuple(_text(err) for _, _, err in streams)
        )
        for one, said, complained in zip(started, finished.outputs, finished.errors, strict=True):
            if one.returncode != 0:
                raise _failed(one, said + complained)
    return finished


def peak_memory_mib(process: Process) -> float:
    """Peak resident memory of a process and those it starts, added up, in MiB: a run of its own, since asking costs."""
    peaks: dict[int, int] = {}
    with tempfile.TemporaryFile() as out, process.stdin.open("rb") as given:
        started = _start(process, given, out, out)
        while started.poll() is None:
            for pid in _family(started.pid):
                peaks[pid] = max(peaks.get(pid, 0), _peak_kib(pid))
            time.sleep(0.005)
        if started.returncode != 0:
            raise _failed(started, _text(out))
    return sum(peaks.values()) / 1024


def _streams(open_files: ExitStack, process: Process) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
    out: IO[bytes] = open_files.enter_context(tempfile.TemporaryFile())  # noqa: SIM115  # the stack closes it
    err: IO[bytes] = open_files.enter_context(tempfile.TemporaryFile())  # noqa: SIM115
    return open_files.enter_context(process.stdin.open("rb")), out, err


def _start(process: Process, given: IO[bytes], out: IO[bytes], err: IO[bytes]) -> subprocess.Popen[bytes]:
    environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **process.environment}
    return subprocess.Popen(process.argv, cwd=process.folder, env=environment, stdin=given, stdout=out, stderr=err)


def _text(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode(errors="replace")


def _failed(process: subprocess.Popen[bytes], said: str) -> HostmusterError:
    words = process.args if isinstance(process.args, Sequence) else [process.args]
    last = "\n".join(said.strip().splitlines()[-20:])
    return HostmusterError(f"{' '.join(map(str, words))[:200]} ended with {process.returncode}: {last}")


def _family(pid: int) -> list[int]:
    found = [pid]
    for parent in found:
        try:
            children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        except OSError:
            continue
        found.extend(map(int, children))
    return found


def _peak_kib(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)
