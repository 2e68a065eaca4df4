"""The travelling form of an image: a tar that `docker load` takes, made of slices of the archive it comes from.

Nothing is copied on the controller. The form depends on the image alone: no times, no tags, no other images; so its
digest names it, and loading it moves no tag of the host.
"""

from __future__ import annotations

import json
import os
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

CHUNK = 1 << 18


@dataclass(frozen=True)
class Slice:
    """Bytes of the source file."""

    offset: int
    size: int


Piece = bytes | Slice


def travelling(config: str, body: bytes, layers: Sequence[Slice]) -> tuple[Piece, ...]:
    """The pieces of the tar: configuration, layers in order, manifest.json without tags. `config` is hex."""
    names = [f"{number}.tar" for number in range(len(layers))]
    manifest = json.dumps([{"Config": f"{config}.json", "RepoTags": None, "Layers": names}]).encode()
    pieces: list[Piece] = [*_member(f"{config}.json", body)]
    for name, layer in zip(names, layers, strict=True):
        pieces += [_head(name, layer.size), layer, _padding(layer.size)]
    return (*pieces, *_member("manifest.json", manifest), bytes(2 * tarfile.BLOCKSIZE))


def size(pieces: Sequence[Piece]) -> int:
    """In bytes."""
    return sum(piece.size if isinstance(piece, Slice) else len(piece) for piece in pieces)


def read(source: Path, pieces: Sequence[Piece], start: int = 0) -> Iterator[bytes]:
    """The tar from an offset on, in chunks. Raises OSError, and EOFError where the source is shorter by now."""
    with source.open("rb") as file:
        for piece in pieces:
            length = piece.size if isinstance(piece, Slice) else len(piece)
            if start >= length:
                start -= length
                continue
            if isinstance(piece, Slice):
                yield from slices(file.fileno(), Slice(piece.offset + start, length - start))
            else:
                yield piece[start:]
            start = 0


def slices(file: int, part: Slice) -> Iterator[bytes]:
    """A part of an open file, in chunks. Raises EOFError where the file ends before it."""
    at, end = part.offset, part.offset + part.size
    while at < end:
        chunk = os.pread(file, min(CHUNK, end - at), at)
        if not chunk:
            raise EOFError(f"it ends at byte {at}")
        at += len(chunk)
        yield chunk


def _member(name: str, body: bytes) -> Iterator[bytes]:
    yield from (_head(name, len(body)), body, _padding(len(body)))


def _head(name: str, length: int) -> bytes:
    info = tarfile.TarInfo(name)
    info.size = length
    return info.tobuf(tarfile.GNU_FORMAT)


def _padding(length: int) -> bytes:
    return bytes(-length % tarfile.BLOCKSIZE)
