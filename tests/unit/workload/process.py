"""A workload as a real process on loopback, started from a folder as on a host."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Workload:
    """A running one, and where it answers."""

    process: subprocess.Popen[str]
    port: int

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self, path: str, method: str = "GET", body: str | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, dict[str, Any], http.client.HTTPMessage]:
        """The status, the document and the headers of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            text = answer.read()
            return answer.status, json.loads(text) if text else {}, answer.headers
        finally:
            connection.close()

    def stop(self) -> tuple[int, str]:
        """SIGTERM; the exit code and all it logged."""
        self.process.send_signal(signal.SIGTERM)
        out, _ = self.process.communicate(timeout=20)
        return self.process.returncode, out


def environment(port: int | str, **more: str) -> dict[str, str]:
    """What the plain workload needs, and more."""
    return {
        "WORKLOAD_BIND": "127.0.0.1",
        "WORKLOAD_PORT": str(port),
        "WORKLOAD_HOST": "server-1",
        "WORKLOAD_WORKER_ID": "server-1-main",
        **more,
    }


def free_port() -> int:
    """A port of loopback that nobody has, nor is given as long as this process lives; a server may listen there."""
    kept = socket.socket()
    kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    kept.bind(("127.0.0.1", 0))
    port: int = kept.getsockname()[1]
    kept.detach()  # stays open: tests beside this ask for free ports, too, before the server of this one is there
    return port


@contextmanager
def running(opt: Path, *start: str, **more: str) -> Iterator[Workload]:
    """One that listens; `start` in place of the interpreter's usual arguments."""
    port = int(more.pop("WORKLOAD_PORT", "0")) or free_port()
    with subprocess.Popen(
        # -I: as the unit starts it, without what the user's site or environment would add.
        [sys.executable, *(start or ("-I", str(opt / "workload")))],
        cwd=opt,
        env=environment(port, **more),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            said = process.stdout.readline()
            assert "listens on" in said, said
            yield Workload(process, port)
        finally:
            process.kill()


def start_with(opt: Path, settings: Mapping[str, str], *words: str, stdin: str = "") -> tuple[int, str]:
    """One that ends by itself: its exit code and what it says to the operator."""
    done = run(opt, settings, *words, stdin=stdin)
    return done.returncode, done.stderr


def run(opt: Path, settings: Mapping[str, str], *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """One that ends by itself."""
    return subprocess.run(
        [sys.executable, "-I", str(opt / "workload"), *words],
        env=settings,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
