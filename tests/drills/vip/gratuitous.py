"""Gratuitous ARP as a neighbour hears it: who said last that an address is his."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

ARP = 0x0806


@dataclass
class Heard:
    """Announcements of one address: when (time.monotonic) and from which MAC."""

    address: str
    announced: list[tuple[float, str]] = field(default_factory=list)

    def take(self, frame: bytes) -> None:
        """A frame; kept if sender and target are the address itself (RFC 5227)."""
        sender, mac, target = frame[28:32], frame[22:28], frame[38:42]
        if sender == target == socket.inet_aton(self.address):
            self.announced.append((time.monotonic(), mac.hex(":")))


@contextmanager
def listening(link: str, address: str) -> Iterator[Heard]:
    """Hears the link until the end."""
    heard, over = Heard(address), threading.Event()
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ARP)) as ear:
        ear.bind((link, ARP))
        ear.settimeout(0.1)

        def listen() -> None:
            while not over.is_set():
                try:
                    heard.take(ear.recv(2048))
                except TimeoutError:
                    continue

        thread = threading.Thread(target=listen)
        thread.start()
        try:
            yield heard
        finally:
            over.set()
            thread.join()
