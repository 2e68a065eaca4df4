"""One request on a connection of its own, as a client that comes anew, and how it ended."""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import dataclass, field
from urllib.parse import urlsplit

LONGEST = 1 << 16
"""Of an answer, in bytes: a probe asks for nothing larger."""


@dataclass(frozen=True)
class Server:
    """Where requests go. `name`: what the client calls it (Host, SNI, and whom the certificate must be for)."""

    host: str
    port: int
    name: str
    tls: ssl.SSLContext | None = None

    @classmethod
    def of(cls, base: str, name: str | None, cafile: str | None, *, insecure: bool) -> Server:
        """From http://HOST[:PORT] or https://. `insecure`: any certificate is taken. Raises ValueError, OSError."""
        url = urlsplit(base)
        if url.scheme not in ("http", "https") or not url.hostname or url.path.strip("/"):
            raise ValueError(f"{base} is not http://HOST:PORT or https://HOST:PORT")
        tls = None
        if url.scheme == "https":
            tls = ssl.create_default_context(cafile=cafile)
            tls.check_hostname = not insecure
            tls.verify_mode = ssl.CERT_NONE if insecure else ssl.CERT_REQUIRED
        return cls(url.hostname, url.port or (443 if tls else 80), name or url.hostname, tls)


@dataclass(frozen=True)
class Request:
    """What is asked. `key`: the idempotency key in the body, where there is one."""

    method: str
    path: str
    body: bytes = b""
    key: str = ""

    def sent(self, name: str) -> bytes:
        """As it goes over the connection."""
        host = f"[{name}]" if ":" in name else name
        length = f"Content-Type: application/json\r\nContent-Length: {len(self.body)}\r\n" if self.body else ""
        head = f"{self.method} {self.path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{length}\r\n"
        return head.encode() + self.body


@dataclass(frozen=True)
class Ended:
    """How a request ended: the status, or none and why there is no answer."""

    status: int | None
    why: str = ""
    body: bytes = field(default=b"", repr=False)

    @property
    def good(self) -> bool:
        """Answered, and by a status that means done."""
        return self.status is not None and 200 <= self.status < 300

    @property
    def kind(self) -> str:
        """For the count of failures."""
        return f"status {self.status}" if self.status is not None else f"no answer: {self.why}"


async def exchange(server: Server, request: Request, timeout_s: float) -> Ended:
    """Asks once. All that a network and a server can do to it is an end, never an exception."""
    try:
        async with asyncio.timeout(timeout_s):
            return await _exchange(server, request)
    except TimeoutError:
        return Ended(None, "timeout")
    except (OSError, EOFError, ValueError, asyncio.LimitOverrunError) as error:
        return Ended(None, type(error).__name__)


async def _exchange(server: Server, request: Request) -> Ended:
    name = server.name if server.tls else None
    reader, writer = await asyncio.open_connection(
        server.host, server.port, ssl=server.tls, server_hostname=name, limit=LONGEST
    )
    try:
        writer.write(request.sent(server.name))
        await writer.drain()
        head = await reader.readuntil(b"\r\n\r\n")
        status, _, rest = head.partition(b"\r\n")
        length = next((int(line[15:]) for line in rest.split(b"\r\n") if line[:15].lower() == b"content-length:"), None)
        body = await (reader.read(LONGEST) if length is None else reader.readexactly(min(length, LONGEST)))
        return Ended(int(status.split()[1]), body=body)
    except IndexError:
        return Ended(None, "not HTTP")
    finally:
        # Not closed in good order: over a dead network that would take its time.
        writer.transport.abort()
