"""Where an image's configuration and layers lie in an archive, of `docker save` or as an OCI image layout."""

from __future__ import annotations

import tarfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pydantic import BaseModel, Field, TypeAdapter

from hostmuster.images.tarball import Slice, slices

_LARGEST_JSON = 8 << 20


class Corrupt(Exception):
    """What is wrong with an archive, and what to do."""

    def __init__(self, what: str, remedy: str = "save or copy it again") -> None:
        super().__init__(what)
        self.remedy = remedy


@dataclass(frozen=True)
class Layout:
    """The configuration's digest as its name gives it (hex) and its text; the layers from the lowest up."""

    named: str
    config: bytes
    layers: tuple[Slice, ...]


class _Saved(BaseModel):
    """An entry of manifest.json (github.com/moby/docker-image-spec)."""

    config: str = Field(alias="Config")
    layers: list[str] = Field(alias="Layers")


class _Blob(BaseModel):
    """A descriptor of an OCI image layout."""

    digest: str = Field(pattern=r"^sha256:[0-9a-f]{64}$")

    @property
    def name(self) -> str:
        return f"blobs/{self.digest.replace(':', '/')}"


class _Index(BaseModel):
    manifests: list[_Blob]


class _Manifest(BaseModel):
    config: _Blob
    layers: list[_Blob]


def find(path: Path) -> Layout:
    """The one image of an archive. Raises Corrupt, OSError, EOFError, TarError, and ValidationError of pydantic."""
    with tarfile.open(path, "r:") as tar:
        members = {_plain(one.name): one for one in tar if one.isfile() or one.issym() or one.islnk()}
    config, layers = _names(path, members)
    body = _text(path, _member(members, config))
    found = (_member(members, layer) for layer in layers)
    return Layout(PurePosixPath(config).stem, body, tuple(Slice(one.offset_data, one.size) for one in found))


def _names(path: Path, members: dict[str, tarfile.TarInfo]) -> tuple[str, list[str]]:
    if "manifest.json" in members:
        saved = TypeAdapter(list[_Saved]).validate_json(_text(path, members["manifest.json"]))
        _only_one(len(saved))
        return saved[0].config, saved[0].layers
    if "index.json" not in members:
        raise Corrupt("neither manifest.json nor index.json is in it", "give an archive made by `docker save NAME:TAG`")
    index = _Index.model_validate_json(_text(path, members["index.json"]))
    _only_one(len(index.manifests))
    body = _text(path, _member(members, index.manifests[0].name))
    if b'"manifests"' in body:
        raise Corrupt("it holds an index of platforms", "copy one: skopeo copy oci-archive:... docker-archive:...")
    manifest = _Manifest.model_validate_json(body)
    return manifest.config.name, [layer.name for layer in manifest.layers]


def _only_one(count: int) -> None:
    if count != 1:
        raise Corrupt(f"it holds {count} images", "save each into an archive of its own")


def _member(members: dict[str, tarfile.TarInfo], name: str) -> tarfile.TarInfo:
    """The regular file of that name; `docker save` links layers that are alike."""
    found = members.get(_plain(name))
    for _ in range(4):
        if found is None or found.isfile():
            break
        base = "" if found.islnk() else str(PurePosixPath(_plain(found.name)).parent)
        found = members.get(_plain(f"{base}/{found.linkname}"))
    if found is None or not found.isfile():
        raise Corrupt(f"{name} is not in it")
    return found


def _plain(name: str) -> str:
    parts: list[str] = []
    for part in name.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _text(path: Path, member: tarfile.TarInfo) -> bytes:
    if member.size > _LARGEST_JSON:
        raise Corrupt(f"{member.name} has {member.size} bytes")
    with path.open("rb") as file:
        return b"".join(slices(file.fileno(), Slice(member.offset_data, member.size)))
