"""An engine that only writes down what `docker create` asks of it: python3 fake_docker_engine.py SOCKET FILE."""

import socketserver
import sys
from http.server import BaseHTTPRequestHandler
from pathlib import Path


class Engine(BaseHTTPRequestHandler):
    """Answers the client's greeting and its one request."""

    protocol_version = "HTTP/1.1"

    def address_string(self) -> str:
        """A unix socket has no address."""
        return "client"

    def do_HEAD(self) -> None:
        """The client's ping."""
        self._answer(200, b"")

    do_GET = do_HEAD  # noqa: N815  # the base class looks methods up by these names

    def do_POST(self) -> None:
        """containers/create: the body goes to the file."""
        Path(sys.argv[2]).write_bytes(self.rfile.read(int(self.headers["Content-Length"])))
        self._answer(201, b'{"Id": "0123456789ab", "Warnings": []}')

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Api-Version", "1.41")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    socketserver.ThreadingUnixStreamServer(sys.argv[1], Engine).serve_forever()
