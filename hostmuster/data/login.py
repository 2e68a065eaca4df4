"""Knocks at a PostgreSQL as far as its question for a password, and prints what it asks for. No password is needed.

Run on hosts, with Debian's python3 alone: ADDRESS PORT NAME. The messages: PostgreSQL's documentation,
"Frontend/Backend Protocol", "Message Formats".
"""

import socket
import ssl
import struct
import sys

METHODS = {0: "nothing (trust)", 3: "a password in clear", 5: "md5", 10: "scram-sha-256"}


def knock(address: str, port: int, name: str) -> str:
    """What it says to that user of that database."""
    with socket.create_connection((address, port), timeout=2) as plain:
        plain.sendall(struct.pack("!ii", 8, 80877103))
        if plain.recv(1) != b"S":
            return "speaks no TLS"
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # who it is, SCRAM shows in turn
        with context.wrap_socket(plain) as tls:
            words = b"".join(word.encode() + b"\0" for word in ("user", name, "database", name)) + b"\0"
            tls.sendall(struct.pack("!ii", 8 + len(words), 196608) + words)
            kind, length = struct.unpack("!ci", whole(tls, 5))
            body = whole(tls, min(length - 4, 4096))
    if kind == b"R":
        method = struct.unpack("!i", body[:4])[0]
        return f"asks for {METHODS.get(method, f'method {method}')}"
    fields = {part[:1]: part[1:].decode(errors="replace") for part in body.split(b"\0") if part}
    return f"refuses: {fields.get(b'C', '')} {fields.get(b'M', '')}"


def whole(tls: ssl.SSLSocket, length: int) -> bytes:
    """So many bytes. Raises OSError where fewer come."""
    read = b""
    while len(read) < length:
        more = tls.recv(length - len(read))
        if not more:
            raise ConnectionError("it hangs up")
        read += more
    return read


if __name__ == "__main__":
    try:
        print(knock(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
    except OSError as error:
        print(f"no connection: {error}")
