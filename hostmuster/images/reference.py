"""An image's reference, strict: what docker takes for something else than it looks like is refused."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from hostmuster.model.types import matching, wrong

_DOMAIN = r"(?:[A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9-]*[A-Za-z0-9])"
_REGISTRY = re.compile(rf"{_DOMAIN}(?:\.{_DOMAIN})*(?::[0-9]{{1,5}})?")
_COMPONENT = re.compile(r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*")
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_HUB = ("docker.io/", "index.docker.io/")


def split(reference: str) -> tuple[str, str, str]:
    """Registry (empty: docker's own), repository and tag, each empty where there is none.

    The first part is a registry only with a dot, a port, a capital, or as `localhost`: so docker reads it
    (github.com/distribution/reference, splitDockerDomain).
    """
    first, slash, rest = reference.partition("/")
    if not slash or not (re.search(r"[.:A-Z]", first) or first == "localhost"):
        first, rest = "", reference
    repository, _, tag = rest.partition(":")
    return first, repository, tag


def familiar(reference: str) -> str:
    """As docker itself lists it: without the registry and the folder that it adds to short names."""
    for hub in _HUB:
        if reference.startswith(hub):
            return reference.removeprefix(hub).removeprefix("library/")
    return reference


_UNREADABLE = (
    (r"[\s\x00-\x1f\x7f]", "a blank or control character", "take it out"),
    (r"://", "a scheme", "write registry/name:tag without one"),
    (r"\$", "a variable", "write the value: nothing is expanded here"),
    (r"@", "a digest", "write name:tag, and the digest as `manifest`: docker, given both, drops the tag"),
    (r"^sha256:[0-9a-f]{64}$", "an image id", "write name:tag: docker takes this for a repository named sha256"),
    (r"^\[", "an IPv6 address", "give the registry a name: docker 20.10 reads no address there"),
)
"""What is refused by name rather than by grammar: pattern, what it is, what to write instead."""


def _reference(value: str) -> str:
    for pattern, noun, remedy in _UNREADABLE:
        if re.search(pattern, value):
            raise wrong(f"{noun} in the reference {value!r}", remedy)
    registry, repository, tag = split(value)
    if registry and not _REGISTRY.fullmatch(registry):
        raise wrong(f"`{registry}` in `{value}` is no registry", "write host, or host:port")
    if not tag:
        raise wrong(f"no tag in `{value}`: docker would take latest, whatever that is then", f"write {value}:TAG")
    if len(repository) > 255 or any(not _COMPONENT.fullmatch(part) for part in repository.split("/")):
        remedy = "a-z and 0-9, with one `.`, one or two `_`, or `-` between them; parts by `/`"
        raise wrong(f"`{repository}` in `{value}` is no repository", remedy)
    if not _TAG.fullmatch(tag):
        raise wrong(f"`{tag}` in `{value}` is no tag", "letters, digits, `_`, `.` and `-`, at most 128, no `+`")
    return value


def registry_name(value: str) -> str:
    """A registry as references begin with it. Raises the error of a field type for anything else."""
    if not _REGISTRY.fullmatch(value) or not re.search(r"[.:]|^localhost$", value):
        raise wrong(f"`{value}` is no registry", "write host:port, without a scheme, as its images' names begin")
    return value


ImageReference = Annotated[str, AfterValidator(_reference), Field(examples=["registry.example.org/app:1.4"])]
"""registry/name:tag with its tag and without a digest (case di-reference)."""
Digest = Annotated[
    str,
    matching(_DIGEST, "not a digest", "write sha256: and 64 digits of 0-9a-f, all of them", shown=80),
    Field(examples=["sha256:" + "0" * 64]),
]
"""A whole SHA-256 digest with its prefix."""
