"""Large content on its way to one host: from the controller, or from a neighbour; gone on with where it was cut off."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import gevent
from paramiko import Channel

from hostmuster.engine.connection import Connection
from hostmuster.errors import HostmusterError
from hostmuster.images import archive
from hostmuster.onhost import script
from hostmuster.resources.step import Deliver

Say = Callable[[str], None]
MIB = 1 << 20
EVERY_S = 1.0


class NotHandedOn(HostmusterError):
    """The source is at fault: it does not have it, or not whole, or is not reached."""


def send(way: Connection, content: Deliver, say: Say) -> int:
    """From the controller. The bytes that travelled.

    Raises NotHandedOn for what arrived with another digest, HostmusterError for what the host refuses, HostFailed.
    """
    source = archive.read(Path(content.archive))

    def go_on(channel: Channel) -> int:
        lines = _lines(channel)
        have = _have(lines)
        sent = have
        told = 0.0
        try:
            for chunk in source.read(have) if have < content.size else ():
                channel.sendall(chunk)
                sent += len(chunk)
                if time.monotonic() - told > EVERY_S:
                    told = time.monotonic()
                    say(_progress(sent, content, "the controller"))
                gevent.sleep(0)
        except TimeoutError:
            raise
        except OSError:
            pass  # It closed before it had all: its answer says why.
        else:
            channel.shutdown_write()
        _done(lines, content, say, "the controller")
        return sent - have

    return way.converse(script.content_text(), _line("receive", content), go_on)


def fetch(way: Connection, content: Deliver, neighbour: str, say: Say) -> None:
    """From another host of the fleet, as the service user. Raises as `send`."""

    def go_on(channel: Channel) -> None:
        lines = _lines(channel)
        _have(lines)
        _done(lines, content, say, neighbour)

    way.converse(script.content_text(), _line("fetch", content, neighbour), go_on)


def _line(verb: str, content: Deliver, *more: str) -> str:
    return " ".join([verb, content.digest, str(content.size), content.service, *more])


def _lines(channel: Channel) -> Iterator[tuple[str, str]]:
    """The answers as they come, each a word and the rest. Raises EOFError where they end without the last."""
    rest = b""
    while chunk := channel.recv(4096):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            word, _, more = line.decode("utf-8", "replace").partition(" ")
            yield word, more
    errors = channel.recv_stderr(4096).decode("utf-8", "replace").strip()
    raise EOFError(errors or "it closed in the middle of a transfer")


def _have(lines: Iterator[tuple[str, str]]) -> int:
    for word, more in lines:
        if word == "failed":
            raise HostmusterError(more.partition(" ")[2])
        if word == "have":
            return int(more)
    raise EOFError  # not reached: the lines end with an error


def _done(lines: Iterator[tuple[str, str]], content: Deliver, say: Say, source: str) -> None:
    told = 0.0
    for word, more in lines:
        match word:
            case "done":
                return
            case "failed":
                who, _, why = more.partition(" ")
                raise (NotHandedOn if who == "source" else HostmusterError)(why)
            case "." if time.monotonic() - told > EVERY_S:
                told = time.monotonic()
                say(_progress(int(more or "0"), content, source))


def _progress(have: int, content: Deliver, source: str) -> str:
    name = Path(content.archive).name
    return f"{name} from {source}: {have // MIB} of {-(-content.size // MIB)} MiB"
