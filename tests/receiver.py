"""A webhook's receiver: a real HTTP server that keeps what it was sent, and can refuse it."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


class Receiver:
    """`status` is what it answers; `hold` makes it wait that many seconds before. `down()` closes its port."""

    def __init__(self, address: str, port: int = 0) -> None:
        self.alerts: list[Any] = []
        self.paths: list[str] = []
        self.status = 204
        self.hold_s = 0.0
        self._address = (address, port)
        self._server: ThreadingHTTPServer | None = None

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        host, port = self._address
        return f"http://{host}:{port}"

    def texts(self, host: str | None = None) -> list[str]:
        """What a person would read of the alerts that it took, of one host or all."""
        return [alert["text"].partition("/")[2] for alert in self.alerts if host in (None, alert["host"])]

    def wait_for(self, count: int, host: str | None = None, within_s: float = 20) -> list[str]:
        """The same, once there are so many."""
        until = time.monotonic() + within_s
        while len(self.texts(host)) < count and time.monotonic() < until:
            time.sleep(0.1)
        assert len(self.texts(host)) >= count, self.texts()
        return self.texts(host)

    def up(self) -> None:
        """Listens, on the port that it had before."""
        self._server = ThreadingHTTPServer(self._address, _handler(self))
        self._address = (self._address[0], self._server.server_port)
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def down(self) -> None:
        """Nobody listens any more."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def __enter__(self) -> Self:
        self.up()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.down()


def _handler(receiver: Receiver) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(200)

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            time.sleep(receiver.hold_s)
            if receiver.status < 300:
                receiver.paths.append(self.path)
                receiver.alerts.append(body | {"key": self.headers["Idempotency-Key"], "via": self.headers["Via"]})
            self._answer(receiver.status)

        def _answer(self, status: int) -> None:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

    return Handler
