"""A server that answers as a KV engine of version 2 does, by its published API.

https://developer.hashicorp.com/vault/api-docs/secret/kv/kv-v2: `data` read and written with check-and-set, versions
that are deleted (404 with metadata) or destroyed; /sys/internal/ui/mounts, and the errors of a server that is sealed,
refuses a token, or takes no more requests. As a real one it gives a mapping's keys in the order of the alphabet.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN = "hvs.a-token-that-nobody-may-see-4711"
MOUNT, PATH = "kv", "hostmuster/lab"


@dataclass
class Version:
    """`data` None: it was deleted (`deleted`: when), or destroyed."""

    data: dict[str, Any] | None
    deleted: str = ""


@dataclass
class VaultServer:
    """One secret. `answers`: what it says instead, once for each; `before_write`: what another client does just then;
    `refuses_writes`: with status and error."""

    versions: list[Version] = field(default_factory=list)
    engine: dict[str, Any] = field(default_factory=lambda: {"type": "kv", "options": {"version": "2"}})
    answers: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    before_write: Callable[[], object] | None = None
    refuses_writes: tuple[int, str] | None = None
    seen: list[tuple[str, str]] = field(default_factory=list)
    namespace: str | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)
    url: str = ""

    def say(self, status: int, *errors: str) -> None:
        """The next request gets this."""
        self.answers.append((status, {"errors": list(errors)}))

    @property
    def newest(self) -> Any:
        """The data of the newest version."""
        return self.versions[-1].data

    def answer(self, method: str, path: str, body: Any) -> tuple[int, dict[str, Any]]:
        """Status and body."""
        if path == f"/v1/sys/internal/ui/mounts/{MOUNT}":
            return 200, {"data": self.engine}
        if self.engine.get("options", {}).get("version") != "2" or path != f"/v1/{MOUNT}/data/{PATH}":
            return 404, {"errors": []}
        return self.read() if method == "GET" else self.write(body)

    def read(self) -> tuple[int, dict[str, Any]]:
        if not self.versions:
            return 404, {"errors": []}
        newest = self.versions[-1]
        metadata = {
            "created_time": "2026-11-29T22:00:00.0Z",
            "custom_metadata": None,
            "deletion_time": newest.deleted,
            "destroyed": newest.data is None and not newest.deleted,
            "version": len(self.versions),
        }
        return 200 if newest.data is not None else 404, {"data": {"data": newest.data, "metadata": metadata}}

    def write(self, body: Any) -> tuple[int, dict[str, Any]]:
        if act := self.before_write:
            self.before_write = None
            act()
        if self.refuses_writes:
            return self.refuses_writes[0], {"errors": [self.refuses_writes[1]]}
        with self.lock:
            cas = body["options"].get("cas")
            if cas is None:
                return 400, {"errors": ["check-and-set parameter required for this call"]}
            if cas != len(self.versions):
                return 400, {"errors": ["check-and-set parameter did not match the current version"]}
            self.versions.append(Version(json.loads(json.dumps(body["data"], sort_keys=True))))
            return 200, {"data": {"version": len(self.versions), "deletion_time": "", "destroyed": False}}


def serve(vault: VaultServer) -> ThreadingHTTPServer:
    """On a free port of this machine, until it is shut down."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._told("GET", None)

        def do_POST(self) -> None:
            self._told("POST", json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def _told(self, method: str, body: Any) -> None:
            vault.seen.append((method, self.path))
            if vault.answers:
                status, answer = vault.answers.pop(0)
            elif self.headers["X-Vault-Token"] != TOKEN or self.headers["X-Vault-Namespace"] != vault.namespace:
                status, answer = 403, {"errors": ["1 error occurred:\n\t* permission denied\n\n"]}
            else:
                status, answer = vault.answer(method, self.path, body)
            raw = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            if status == 307:
                self.send_header("Location", f"{vault.url}{self.path}")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: object) -> None:
            """Nothing: a test's own output."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    vault.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
