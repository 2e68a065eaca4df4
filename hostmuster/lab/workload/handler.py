"""What the workload answers, a thread for each connection.

`/health/live`: the process works. `/health/ready`: it takes requests, and its database answers where it has one;
503 while it drains, or without that. Both are public and say no more (R12). `/internal/identity`: which replica and
program this is (H7); `/internal/runs`: what a stop would end now; `/work?seconds=N`: a request that takes its time, as
a run does. The last three are for the ingress and the hosts alone, as is what a configured part adds (`route.py`).
"""

from __future__ import annotations

import io
import json
import sys
import time
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from .connection import DeadlineReader
from .route import Asked, found

if TYPE_CHECKING:
    from .server import Server

REQUEST_S = 10.0
LONGEST_WORK_S = 120.0
LONGEST_BODY = 1 << 16


def log(line: str) -> None:
    """One line on standard output, for the journal; nothing a client sent may break it."""
    print("".join(sign if sign.isprintable() else "?" for sign in line), flush=True)


class Handler(BaseHTTPRequestHandler):
    """One connection: its requests, one after the other."""

    server: Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # a body follows its header at once, not after the 40 ms of a delayed ACK
    timeout = REQUEST_S  # for what we send; what we read has a deadline of its own

    def setup(self) -> None:
        """Read through the deadline."""
        super().setup()
        self._reader = DeadlineReader(self.connection, REQUEST_S)
        self.rfile = io.BufferedReader(self._reader)

    def handle_one_request(self) -> None:
        """A request's time begins when the one before was answered: idle connections end by it, too."""
        self._reader.allow(REQUEST_S)
        super().handle_one_request()

    def do_GET(self) -> None:
        """Answer by path. A body has no meaning here: it is not read, and the connection ends."""
        if "Content-Length" in self.headers or "Transfer-Encoding" in self.headers:
            self.close_connection = True
        self._answer_and_log(b"")

    do_HEAD = do_GET  # noqa: N815 - the base class looks methods up by these names

    def do_POST(self) -> None:
        """Only what a configured part answers takes a body, of a length that is told first."""
        length = self.headers.get("Content-Length", "")
        if not found(self.server.routes, self.path.partition("?")[0]):
            self.send_error(HTTPStatus.NOT_IMPLEMENTED)
        elif not (length.isascii() and length.isdigit()) or "Transfer-Encoding" in self.headers:
            self.send_error(HTTPStatus.LENGTH_REQUIRED)
        elif len(length) > 9 or int(length) > LONGEST_BODY:
            self.send_error(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        elif len(body := self.rfile.read(int(length))) == int(length):
            self._answer_and_log(body)

    def _answer_and_log(self, body: bytes) -> None:
        started = time.monotonic()
        path, _, query = self.path.partition("?")
        status = self._answer(path, query, body)
        if not (path.startswith("/health/") and status == HTTPStatus.OK):
            # Without the query: later ones may carry what no log should hold.
            log(f"{self.command} {path[:200]} {status} {time.monotonic() - started:.3f} s")

    def _answer(self, path: str, query: str, body: bytes) -> int:
        running = self.server.running
        if path == "/health/live":
            return self._send(HTTPStatus.OK, {"status": "ok"})
        if path == "/health/ready":
            return self._tell_ready()
        if path == "/internal/runs":
            return self._send(HTTPStatus.OK, {"runs": running.listed})
        if not running.begin(f"{self.command} {path[:200]}"):
            return self._send(HTTPStatus.SERVICE_UNAVAILABLE, {"error": "draining"})
        try:
            return self._work(path, query, body)
        finally:
            running.end()

    def _tell_ready(self) -> int:
        """200 where all is ok; else what is not, and no word more."""
        told = {"status": "not ready" if self.server.running.draining else "ok"}
        told |= {name: "ok" if well() else "not ok" for name, well in self.server.health.items()}
        whole = set(told.values()) == {"ok"}
        return self._send(HTTPStatus.OK if whole else HTTPStatus.SERVICE_UNAVAILABLE, told)

    def _work(self, path: str, query: str, body: bytes) -> int:
        if route := found(self.server.routes, path):
            first = {name: values[0] for name, values in parse_qs(query).items()}
            told = route(Asked(self.command, path, first, body, self.headers.get("Authorization", "")))
            return self._send(told.status, told.document)
        settings = self.server.settings
        if path == "/internal/identity":
            who = {"host": settings.host, "worker_id": settings.worker_id, "program": self.server.program}
            return self._send(HTTPStatus.OK, who)
        if path == "/work":
            seconds = work_seconds(query)
            if seconds is None:
                return self._send(HTTPStatus.BAD_REQUEST, {"error": f"seconds is 0 to {LONGEST_WORK_S:.0f}"})
            time.sleep(seconds)
            return self._send(HTTPStatus.OK, {"worked_s": seconds})
        return self._send(HTTPStatus.NOT_FOUND, {"error": "not found"})

    def _send(self, status: HTTPStatus, document: Mapping[str, object]) -> int:
        body = json.dumps(document).encode() + b"\n"
        self.close_connection = self.close_connection or self.server.running.draining
        self.send_response_only(status)  # without a Server line: which software this is, is nobody's business
        self.send_header("Date", self.date_time_string())
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        return int(status)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the base class refuses (a malformed request, an unknown method), told without detail."""
        self.close_connection = True
        self.command = self.command or ""
        self._send(HTTPStatus(code), {"error": HTTPStatus(code).phrase.lower()})
        log(f"refused a request: {code}")

    def log_message(self, format: str, *arguments: object) -> None:
        """The base class's notes on a connection (it calls them errors), in our form."""
        log(format % arguments)


def work_seconds(query: str) -> float | None:
    """The seconds asked for; None when they are no number or too many."""
    try:
        seconds = float(parse_qs(query).get("seconds", ["0"])[0])
    except ValueError:
        return None
    return seconds if 0 <= seconds <= LONGEST_WORK_S else None


def report_failure(error: BaseException | None) -> None:
    """A connection that broke off is one line; anything else is a mistake of ours and shows where."""
    if isinstance(error, OSError):
        log(f"a connection broke off: {type(error).__name__}")
    else:
        sys.excepthook(*sys.exc_info())
