"""The service: each start takes a second, and a stop ends what is in work first. /run/answers holds what ready
says; while /run/answers.hold is there, it does not come up."""

from __future__ import annotations

import json
import signal
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

READY = {"status": "ok", "database": "ok"}
WORK_S = 0.03


class Handler(BaseHTTPRequestHandler):
    """One request a connection."""

    def do_GET(self) -> None:
        """Readiness, what the client is said to be, or a little work."""
        if self.path == "/health/ready":
            told = Path("/run/answers")
            self._say(200, json.loads(told.read_text()) if told.exists() else READY)
        elif self.path == "/health/live":
            self._say(200, {"status": "ok"})
        elif self.path == "/work/headers":
            self._say(200, {name.lower(): value for name, value in self.headers.items()})
        else:
            time.sleep(10 if self.path.endswith("/long") else WORK_S)
            self._say(200, {"path": self.path})

    def do_POST(self) -> None:
        """A task: taken is told to the journal, so that what was taken twice is seen."""
        key = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["key"]
        print(f"taken {key}", flush=True)
        time.sleep(WORK_S)
        self._say(201, {"id": key})

    def _say(self, status: int, document: object) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing: one line a task is enough."""


class Server(ThreadingHTTPServer):
    """Its end waits for the requests in work."""

    daemon_threads = False
    request_queue_size = 128


def main() -> None:
    """Until SIGTERM."""
    time.sleep(1)
    while Path("/run/answers.hold").exists():
        time.sleep(0.05)
    server = Server((sys.argv[1], int(sys.argv[2])), Handler)
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
    server.serve_forever(poll_interval=0.05)
    server.server_close()


if __name__ == "__main__":
    main()
