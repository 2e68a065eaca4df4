"""The workload's process: reads its settings, serves, and on SIGTERM drains before it ends.

Exit codes: 0 drained, 1 not (or the address is not to be had), 78 misconfigured (EX_CONFIG, sysexits.h: a
supervisor need not try again).
"""

from __future__ import annotations

import os
import socket
import socketserver
import sys
import threading
from collections.abc import Callable
from http.server import ThreadingHTTPServer

from . import backend
from .database import Unreachable
from .environment import Environment
from .handler import Handler, log, report_failure
from .part import Part
from .program import digest, own_source
from .running import Running
from .settings import Misconfigured, Settings, read
from .stop import Stop

EX_CONFIG = 78
MOST_CONNECTIONS = 256

Address = tuple[str, int]
Request = socket.socket | tuple[bytes, socket.socket]


class Server(ThreadingHTTPServer):
    """Listens, with a bound on the connections it holds at a time; one too many is closed at once."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, settings: Settings, part: Part) -> None:
        self.settings = settings
        self.routes = part.routes
        self.health = part.health
        self.running = Running()
        self.program = digest(own_source())
        self._slots = threading.BoundedSemaphore(MOST_CONNECTIONS)
        super().__init__((settings.bind, settings.port), Handler)

    def server_bind(self) -> None:
        """As the base class, but without asking DNS for our name: where DNS is dead that takes 20 s."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.settings.host, self.settings.port

    def verify_request(self, request: Request, client_address: Address) -> bool:
        """Whether there is a place for one more connection."""
        return self._slots.acquire(blocking=False)

    def process_request_thread(self, request: Request, client_address: Address) -> None:
        """Serve a connection, and give its place back."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._slots.release()

    def handle_error(self, request: Request, client_address: Address) -> None:
        """A connection's thread failed; the others go on."""
        report_failure(sys.exc_info()[1])


def main(configured: Callable[[Environment, Settings], Part] = backend.configured) -> int:
    """Serve until SIGTERM or SIGINT; the exit code. `configured`: what is answered beside the plain workload's."""
    try:
        settings = read(os.environ)
        part = configured(os.environ, settings)
    except Unreachable as error:
        print(error, file=sys.stderr)
        return 1
    except Misconfigured as error:
        for problem in error.problems:
            print(problem, file=sys.stderr)
        return EX_CONFIG
    try:
        server = Server(settings, part)
    except OSError as error:
        print(f"cannot listen on {settings.bind}:{settings.port}: {error.strerror}", file=sys.stderr)
        return 1
    stop = Stop()
    # It listens since it was made, and says so before any request can: whoever waits for its start reads one line.
    log(f"{settings.worker_id} on {settings.host} listens on {settings.bind}:{settings.port}")
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    stop.wait()
    return end(server)


def end(server: Server) -> int:
    """Drain and stop. Health goes on answering meanwhile, so that an ingress sees why nothing else does."""
    log(f"draining, at most {server.settings.drain_s:.0f} s")
    ended, left = server.running.drain(server.settings.drain_s)
    server.shutdown()
    server.server_close()
    log(f"stopped: {ended} drained, {left} cut off")
    return 1 if left else 0
