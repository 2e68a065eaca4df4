"""References: each input of the case di-reference is read as docker reads it, or refused with what to write instead."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter, ValidationError

from hostmuster.images.reference import Digest, ImageReference, familiar, split

HEX = "ab" * 32
READ = {
    "10.0.0.5:5000/a/b:1": ("10.0.0.5:5000", "a/b", "1"),
    "Registry.example.org/foo/app:2": ("Registry.example.org", "foo/app", "2"),
    "localhost:5000/app:1": ("localhost:5000", "app", "1"),
    "localhost/app:1": ("localhost", "app", "1"),
    "app:1.4_rc-2": ("", "app", "1.4_rc-2"),
    "team/my__app:1": ("", "team/my__app", "1"),
    "a-b---c.d/e:1": ("a-b---c.d", "e", "1"),
}
REFUSED = {
    "ghcr.io/Acme/app:1": "`Acme/app` in `ghcr.io/Acme/app:1` is no repository",
    "Registry.example.org/foo/app": "no tag",
    "localhost:5000/app": "no tag",
    f"app:1.0@sha256:{HEX}": "a digest in the reference",
    "app@sha256:abc": "a digest in the reference",
    HEX: "no tag",
    f"sha256:{HEX}": "an image id",
    HEX[:12]: "no tag",
    "app:1.0+build5": "`1.0+build5` in `app:1.0+build5` is no tag",
    "https://reg.local/app:1": "a scheme",
    "app:${TAG}": "a variable",
    "app": "no tag",
    "[2001:db8::1]:5000/app:1": "an IPv6 address",
    "reg.local/app:1\r": "a blank or control character",
    "my___app:1": "`my___app` in `my___app:1` is no repository",
    "my___app": "no tag",
    "app:": "no tag",
    "": "no tag",
    "app:1:2": "is no tag",
    "reg.local//app:1": "is no repository",
    "-reg.local/app:1": "is no registry",
    "reg.local:/app:1": "is no registry",
    f"app:{'x' * 129}": "is no tag",
    f"{'a/' * 128}a:1": "is no repository",
}


@pytest.mark.parametrize("reference", READ)
def test_a_reference_is_read_as_docker_reads_it(reference: str) -> None:
    assert TypeAdapter(ImageReference).validate_python(reference) == reference
    assert split(reference) == READ[reference]


@pytest.mark.parametrize("reference", REFUSED)
def test_refused_with_the_reason_and_what_to_write(reference: str) -> None:
    with pytest.raises(ValidationError) as refused:
        TypeAdapter(ImageReference).validate_python(reference)
    (error,) = refused.value.errors()
    assert REFUSED[reference] in error["msg"]
    assert error["ctx"]["remedy"]


@pytest.mark.parametrize("digest", ["sha256:abc", HEX, f"sha512:{HEX}", f"sha256:{HEX.upper()}", f"sha256:{HEX}\n"])
def test_a_digest_is_whole_or_none(digest: str) -> None:
    with pytest.raises(ValidationError, match="is not a digest"):
        TypeAdapter(Digest).validate_python(digest)


def test_a_name_is_compared_as_docker_lists_it() -> None:
    assert familiar("docker.io/library/app:1") == familiar("index.docker.io/app:1") == familiar("app:1") == "app:1"
    assert familiar("docker.io/team/app:1") == "team/app:1"
    assert familiar("reg.local/library/app:1") == "reg.local/library/app:1"
