"""An image's archive on the controller, read and compared with its own digests before any host is touched.

Source: TRAPS (images): of an image's three digests the one of its configuration survives `docker save` and `load`.
"""

from __future__ import annotations

import hashlib
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel, ValidationError

from hostmuster.errors import InputError, Problem
from hostmuster.images import seal, tarball
from hostmuster.images.layout import Corrupt, Layout, find
from hostmuster.images.tarball import Piece

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


@dataclass(frozen=True)
class Archive:
    """One image: its config digest (`sha256:...`), and the pieces and digest (hex) of the tar that travels."""

    path: Path
    config: str
    digest: str
    pieces: tuple[Piece, ...]

    @property
    def size(self) -> int:
        """Bytes that travel."""
        return tarball.size(self.pieces)

    def read(self, start: int = 0) -> Iterator[bytes]:
        """The tar that travels, from an offset on. Raises OSError and EOFError."""
        return tarball.read(self.path, self.pieces, start)


class _Rootfs(BaseModel):
    diff_ids: list[str]


class _Configuration(BaseModel):
    rootfs: _Rootfs


@lru_cache(maxsize=64)
def read(path: Path) -> Archive:
    """The one image of an archive, every layer compared with its digest. Raises InputError for what is not whole.

    That it was compared is remembered for the file as it lies there (seal.py), since a large one takes seconds.
    """
    remedy = "give an archive made by `docker save NAME:TAG`"
    try:
        found = find(path)
        config = hashlib.sha256(found.config).hexdigest()
        if config != found.named:
            raise Corrupt(f"its configuration {found.named} has the digest {config}")
        pieces = tarball.travelling(config, found.config, found.layers)
        digest = seal.known(path, config)
        if digest is None:
            _compare(path, found)
            digest = _digest(tarball.read(path, pieces))
            seal.put(path, config, digest)
    except Corrupt as error:
        what, remedy = str(error), error.remedy
    except ValidationError as error:
        what = f"a part that describes it: {error.errors()[0]['msg']}"
    except (OSError, EOFError, tarfile.TarError, zlib.error) as error:
        what = (error.strerror if isinstance(error, OSError) else None) or str(error)
    else:
        return Archive(path, f"sha256:{config}", digest, pieces)
    raise InputError([Problem(str(path), f"it is no whole image archive: {what}", remedy)])


def holding(path: Path, config: str | None) -> Archive:
    """The same, where it is to hold the image of a declared config digest. Raises InputError for another one."""
    found = read(path)
    if config is not None and found.config != config:
        what = f"it holds the image with the config digest {found.config}, declared {config}"
        raise InputError([Problem(str(path), what, "give the archive of that image, or leave `config` out")])
    return found


def _compare(path: Path, found: Layout) -> None:
    """Each layer with the digest of its tar that the configuration has. Raises Corrupt, EOFError, zlib.error."""
    wanted: Sequence[str] = _Configuration.model_validate_json(found.config).rootfs.diff_ids
    if len(found.layers) != len(wanted):
        raise Corrupt(f"it has {len(found.layers)} layers, its configuration {len(wanted)}")
    with path.open("rb") as file:
        for number, (layer, diff_id) in enumerate(zip(found.layers, wanted, strict=True), 1):
            if f"sha256:{_digest(_unpacked(tarball.slices(file.fileno(), layer)))}" != diff_id:
                raise Corrupt(f"layer {number} of {len(wanted)} is not the one that its configuration names")


def _digest(chunks: Iterator[bytes]) -> str:
    found = hashlib.sha256()
    for chunk in chunks:
        found.update(chunk)
    return found.hexdigest()


def _unpacked(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """A layer's own tar, which its digest is of, whether it is gzipped in the archive or not."""
    first = next(chunks, b"")
    if first.startswith(_ZSTD):
        raise Corrupt("a layer is compressed by zstd, which docker 20.10 does not load", "save it with `docker save`")
    if not first.startswith(_GZIP):
        yield first
        yield from chunks
        return
    stream = zlib.decompressobj(wbits=31)
    yield stream.decompress(first)
    for chunk in chunks:
        yield stream.decompress(chunk)
    if not stream.eof:
        raise Corrupt("a layer ends before its end")
