"""A container image on a host's engine: the tag by which it is called, and the config digest that it must have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hostmuster.images.reference import familiar, split
from hostmuster.images.script import CONTENT, command
from hostmuster.resources.resource import Difference, Observation, Probe, Question
from hostmuster.resources.step import Deliver, Run, Step


@dataclass(frozen=True)
class Known:
    """What an engine says of an image: its store, the id it knows it by, and its config digest.

    In the containerd store the id is a manifest's digest, and another one for the same image; so ids are never
    compared between hosts (TRAPS: images). `config` is `half-loaded` for one whose loading was interrupted.
    """

    store: str
    id: str
    config: str

    @classmethod
    def of(cls, seen: Observation, key: str) -> Known | None:
        """By a reference or a config digest; None where the engine knows none."""
        said = seen[Question(IMAGES, familiar(key))]
        return cls(*said.split()) if said else None


def _split(output: str, keys: Sequence[str]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for store, image, config, *tags in filter(None, map(str.split, output.splitlines())):
        found |= dict.fromkeys((tag for tag in (config, *tags) if tag in keys), f"{store} {image} {config}")
    return found


IMAGES = Probe("images", command("ask"), _split)


@dataclass(frozen=True)
class FromRegistry:
    """Pulled by the digest of its manifest, so that a tag moved in the registry changes nothing."""

    manifest: str


@dataclass(frozen=True)
class FromArchive:
    """An archive on the controller: where it lies, and what of it travels. `service`: by whom hosts hand it on."""

    path: str
    digest: str
    size: int
    service: str


@dataclass(frozen=True)
class Image:
    """Source: H2. The reference is called `reference`; what it must be is `config`, the digest of its configuration.

    Nothing is removed: an image that a tag moved away from stays, since a container may run from it.
    """

    reference: str
    config: str
    source: FromRegistry | FromArchive
    risky: bool = False

    @property
    def id(self) -> str:
        """`image REFERENCE`."""
        return f"image {self.reference}"

    @property
    def claim(self) -> str:
        """The reference as docker lists it."""
        return f"image {familiar(self.reference)}"

    def questions(self) -> Iterator[Question]:
        """The image of that name, and the declared one under whatever name."""
        yield Question(IMAGES, familiar(self.reference))
        yield Question(IMAGES, self.config)

    def compare(self, seen: Observation) -> Iterator[Difference]:
        """Missing, half-loaded, or another image under this tag."""
        known = Known.of(seen, self.reference)
        if known is None:
            yield Difference(self.id, "presence", "missing", self.config)
        elif known.config != self.config:
            yield Difference(self.id, "config digest", f"{known.config} (store {known.store})", self.config)

    def steps(self, seen: Observation) -> Iterator[Step]:
        """Brought here unless the host has it under another name; the tag comes last."""
        if Known.of(seen, self.config) is None:
            match self.source:
                case FromRegistry(manifest):
                    registry, repository, _ = split(self.reference)
                    name = "/".join(filter(None, (registry, repository)))
                    yield Run(command("pull", f"{name}@{manifest}", self.config)).patient
                case FromArchive(path, digest, size, service):
                    yield Deliver(path, digest, size, service)
                    yield Run(command("load", f"{CONTENT}/{digest}", self.config)).patient
        before = Known.of(seen, self.reference)
        back = ("docker", "tag", before.id, self.reference) if before else ("docker", "image", "rm", self.reference)
        yield Run(command("tag", self.config, self.reference), undo=back)
