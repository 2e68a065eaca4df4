"""Container images are there under their declared names and config digests, on an engine that answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from deploys.items import access
from hostmuster.effects import images as proofs
from hostmuster.images import archive
from hostmuster.images.reference import Digest, ImageReference, registry_name
from hostmuster.images.script import CONTENT
from hostmuster.item import Effect, Item
from hostmuster.lab import container_image
from hostmuster.model.fleet import Host
from hostmuster.model.types import wrong
from hostmuster.resources.engine import Engine
from hostmuster.resources.file import File
from hostmuster.resources.image import FromArchive, FromRegistry, Image
from hostmuster.resources.resource import Resource


class Declared(BaseModel):
    """One image by the digest of its configuration: from an archive in the project, or pulled by its manifest's.

    An archive says its own `config`. `runs`: a command in the image that must succeed (`verify --deep`).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    config: Digest | None = None
    archive: str | None = Field(default=None, examples=["images/app-1.4.tar"])
    manifest: Digest | None = None
    runs: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _from_one_place(self) -> Declared:
        if (self.archive is None) == (self.manifest is None):
            raise wrong("an image comes from one place", "give `archive: FILE`, or `manifest: sha256:...` to pull it")
        if self.manifest is not None and self.config is None:
            remedy = "give `config` too: `docker image inspect -f {{.Id}}` where docker has pulled it"
            raise wrong("a pulled image without its config digest", remedy)
        return self


class Images(BaseModel):
    """`live_restore` None: on where hostmuster installed the engine, elsewhere as found. `insecure`: without TLS."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    live_restore: bool | None = None
    insecure: tuple[Annotated[str, AfterValidator(registry_name)], ...] = ()
    declared: dict[ImageReference, Declared] = {}


ITEM = Item("images", settings=Images, only_declared=True)
_LEFT_OVER = "/etc/tmpfiles.d/hostmuster-content.conf"


def resources(host: Host) -> Iterator[Resource]:
    """The engine, then what it is to hold. Archives that an interrupted run left go after a day."""
    want = settings(host)
    service = cast("access.Settings", host.settings("access")).service
    yield Engine(("docker.io",) if host.debian < 13 else ("docker.io", "docker-cli"), want.live_restore, want.insecure)
    yield File(
        _LEFT_OVER,
        f"d {CONTENT} 2750 root {service} 1d\n".encode(),
        told=(("systemd-tmpfiles", "--create", _LEFT_OVER),),
    )
    for reference, one in want.declared.items():
        yield Image(reference, config_of(host, reference), _source(host, one, service))


def effects(host: Host) -> Iterator[Effect]:
    """The engine answers as declared, and names each image by its declared digest; those with a command run it."""
    want = settings(host)
    yield proofs.engine_answers(want.live_restore)
    for reference, one in want.declared.items():
        yield proofs.is_image(reference, config_of(host, reference))
        if one.runs:
            yield proofs.runs(reference, one.runs)


def config_of(host: Host, reference: str) -> str:
    """The declared config digest of an image. Raises InputError for an archive that is not whole or holds another."""
    one = settings(host).declared[reference]
    if one.archive is None:
        return cast("str", one.config)
    return _archive(host, one).config


def settings(host: Host) -> Images:
    """This item's settings for the host; the containers item finds its images there."""
    return cast("Images", host.settings(ITEM.name))


def _source(host: Host, one: Declared, service: str) -> FromArchive | FromRegistry:
    if one.archive is None:
        return FromRegistry(cast("str", one.manifest))
    read = _archive(host, one)
    return FromArchive(str(read.path), read.digest, read.size, service)


def _archive(host: Host, one: Declared) -> archive.Archive:
    path = host.fleet.project.root / cast("str", one.archive)
    if host.fleet.lab and one.archive == container_image.ARCHIVE:
        container_image.ensure(path)
    return archive.holding(path, one.config)
