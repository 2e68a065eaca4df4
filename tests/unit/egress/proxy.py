"""A real tinyproxy on the loopback, and what it answers to CONNECT."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Proxy:
    """One that runs; `allows` asks it for a host."""

    def __init__(self, port: int) -> None:
        self._port = port

    def answer(self, host: str, port: int = 443) -> str:
        """The first line it answers with."""
        with socket.create_connection(("127.0.0.1", self._port), timeout=10) as way:
            way.sendall(f"CONNECT {host}:{port} HTTP/1.1\r\n\r\n".encode())
            return way.makefile("rb").readline().decode().strip()

    def allows(self, host: str) -> bool:
        """Whether the filter lets the name through; that such a host exists is not asked."""
        return " 403 " not in self.answer(host)


@contextmanager
def running(folder: Path, patterns: str, *options: str) -> Iterator[Proxy]:
    """A tinyproxy with this filter; `options` are further lines of its configuration."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    listed = folder / "filter"
    listed.write_text(patterns)
    config = folder / "conf"
    lines = [f"Port {port}", "Listen 127.0.0.1", f'Filter "{listed}"', "FilterDefaultDeny Yes", *options]
    config.write_text("\n".join([*lines, ""]))
    process = subprocess.Popen(["tinyproxy", "-d", "-c", str(config)], stdout=subprocess.DEVNULL)
    try:
        _await(port, process)
        yield Proxy(port)
    finally:
        process.kill()
        process.wait()


def _await(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(100):
        assert process.poll() is None, "tinyproxy ended at its start"
        with socket.socket() as way:
            if way.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("tinyproxy does not listen")
