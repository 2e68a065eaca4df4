"""Run on a host by its python3: a key in the Redis that a process is given, the others' seen there, its own taken.

    python3 -I - put|see|take PID RUN ME [OTHER...]

Answers in lines: `ok`, `unseen OTHER`, `failed WHY`, or `unknown WHY` where that cannot be told. The URL is read from
the process's environment and goes nowhere but to that Redis; of an error only its code word is told, since Redis
repeats what it did not understand.
"""

from __future__ import annotations

import socket
import ssl
import sys
import time
from pathlib import Path
from urllib.parse import unquote, urlsplit

TIMEOUT_S = 5.0
EXPIRES_S = 60
TRIES = 10
NOT_OURS = ("NOPERM", "MOVED", "ASK", "CLUSTERDOWN")
"""What an answer says that tells nothing of whether replicas share it."""


class Failed(Exception):
    """The process itself could not use it either."""


class Unknown(Exception):
    """It answers, and lets us see nothing."""


class Redis:
    """A connection, in the one form of request that every Redis takes (RESP arrays of bulk strings)."""

    def __init__(self, url: str) -> None:
        at = urlsplit(url)
        if at.scheme not in ("redis", "rediss") or not at.hostname:
            raise Failed("REDIS_URL is not set" if not url else "REDIS_URL names no redis:// or rediss://")
        self._socket = socket.create_connection((at.hostname, at.port or 6379), TIMEOUT_S)
        if at.scheme == "rediss":
            self._socket = ssl.create_default_context().wrap_socket(self._socket, server_hostname=at.hostname)
        self._answers = self._socket.makefile("rb")
        if at.password is not None:
            self.ask("AUTH", *([unquote(at.username)] if at.username else []), unquote(at.password))
        if number := at.path.strip("/"):
            self.ask("SELECT", number)

    def ask(self, *words: str) -> str | None:
        """The answer's text; None where there is none. Raises Failed, Unknown and OSError."""
        sent = [f"*{len(words)}\r\n".encode()]
        sent += [b"$%d\r\n%s\r\n" % (len(word.encode()), word.encode()) for word in words]
        self._socket.sendall(b"".join(sent))
        line = self._answers.readline().decode("utf-8", "replace").rstrip("\r\n")
        kind, said = line[:1], line[1:]
        if kind == "-":
            code = said.partition(" ")[0]
            raise (Unknown if code in NOT_OURS else Failed)(f"Redis refuses it: {code}")
        if kind == "$":
            length = int(said)
            return None if length < 0 else self._answers.read(length + 2)[:-2].decode("utf-8", "replace")
        if not kind:
            raise Failed("it closed the connection")
        return said


def url_of(pid: str) -> str:
    """REDIS_URL as the process was given it."""
    pairs = Path("/proc", pid, "environ").read_bytes().split(b"\0")
    found = next((pair for pair in pairs if pair.startswith(b"REDIS_URL=")), b"")
    return found.partition(b"=")[2].decode("utf-8", "replace")


def unseen(redis: Redis, run: str, others: list[str]) -> list[str]:
    """Those whose key is not there; a replica of a Redis may be a moment behind."""
    left = others
    for _ in range(TRIES):
        left = [other for other in left if redis.ask("GET", f"hostmuster:seen:{run}:{other}") != other]
        if not left:
            break
        time.sleep(0.1)
    return left


def main(verb: str, pid: str, run: str, me: str, *others: str) -> None:
    """What is done, told in lines."""
    try:
        redis = Redis(url_of(pid))
        if verb == "put":
            redis.ask("SET", f"hostmuster:seen:{run}:{me}", me, "EX", str(EXPIRES_S))
        elif verb == "take":
            redis.ask("DEL", f"hostmuster:seen:{run}:{me}")
        elif left := unseen(redis, run, list(others)):
            print("\n".join(f"unseen {other}" for other in left))
            return
        print("ok")
    except Unknown as error:
        print(f"unknown {error}")
    except ssl.SSLCertVerificationError:
        print("unknown its certificate is signed by nobody whom the host trusts; the process may know better")
    except Failed as error:
        print(f"failed {error}")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
        print(f"failed Redis is not reached: {why}")


if __name__ == "__main__":
    main(*sys.argv[1:])
