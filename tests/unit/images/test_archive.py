"""Archives on the controller: read in each form there is, and refused where they are not whole."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from hostmuster.errors import InputError
from hostmuster.images import archive
from hostmuster.lab import container_image

FILES = {"etc/motd": b"hello\n" * 100}


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    archive.read.cache_clear()


def members(body: bytes) -> dict[str, bytes]:
    """Name to content."""
    with tarfile.open(fileobj=io.BytesIO(body)) as tar:
        return {one.name: file.read() for one in tar if (file := tar.extractfile(one))}


def tar(files: Mapping[str, bytes], links: Mapping[str, str] | None = None) -> bytes:
    """A tar of these files, and links to others of it."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as out:
        for name, body in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(body)
            out.addfile(info, io.BytesIO(body))
        for name, target in (links or {}).items():
            info = tarfile.TarInfo(name)
            info.type, info.linkname = tarfile.SYMTYPE, target
            out.addfile(info)
    return made.getvalue()


def saved() -> dict[str, bytes]:
    """What `docker save` has written, taken apart."""
    return members(container_image.archive(FILES, "app:1"))


def config_of(parts: Mapping[str, bytes]) -> str:
    return next(name.removesuffix(".json") for name in parts if len(name) == 69)


def as_oci(parts: Mapping[str, bytes], *, packed: bool, compatible: bool) -> dict[str, bytes]:
    """The same image as an OCI layout: as skopeo copies it, or as docker 25 saves it, with a manifest.json too."""
    layer = gzip.compress(parts["layer.tar"], mtime=0) if packed else parts["layer.tar"]
    config = parts[f"{config_of(parts)}.json"]
    blobs = {f"blobs/sha256/{hashlib.sha256(body).hexdigest()}": body for body in (config, layer)}
    config_blob, layer_blob = blobs
    named = [{"digest": name.replace("blobs/sha256/", "sha256:")} for name in blobs]
    manifest = json.dumps({"config": named[0], "layers": named[1:]}).encode()
    digest = hashlib.sha256(manifest).hexdigest()
    whole = {**blobs, f"blobs/sha256/{digest}": manifest}
    whole["index.json"] = json.dumps({"manifests": [{"digest": f"sha256:{digest}"}]}).encode()
    if compatible:
        whole["manifest.json"] = json.dumps(
            [{"Config": config_blob, "RepoTags": ["x:1"], "Layers": [layer_blob]}]
        ).encode()
    return whole


def linked(parts: Mapping[str, bytes]) -> bytes:
    """As docker 20.10 saves a layer that it has twice."""
    manifest = parts["manifest.json"].replace(b"layer.tar", b"two/layer.tar")
    kept = {name: body for name, body in parts.items() if name not in ("manifest.json", "layer.tar")}
    return tar(
        kept | {"one/layer.tar": parts["layer.tar"], "manifest.json": manifest}, {"two/layer.tar": "../one/layer.tar"}
    )


FORMS: dict[str, Callable[[], bytes]] = {
    "docker save": lambda: container_image.archive(FILES, "app:1"),
    "docker save without a tag": lambda: container_image.archive(FILES),
    "docker save with a linked layer": lambda: linked(saved()),
    "docker 25 save": lambda: tar(as_oci(saved(), packed=False, compatible=True)),
    "an OCI layout": lambda: tar(as_oci(saved(), packed=False, compatible=False)),
}


@pytest.mark.parametrize("form", FORMS)
def test_whatever_form_it_comes_in_the_same_travels(tmp_path: Path, form: str) -> None:
    (tmp_path / "app.tar").write_bytes(FORMS[form]())
    read = archive.read(tmp_path / "app.tar")
    assert read.config == f"sha256:{config_of(saved())}"
    travelled = b"".join(read.read())
    assert len(travelled) == read.size
    assert hashlib.sha256(travelled).hexdigest() == read.digest
    (image,) = json.loads(members(travelled)["manifest.json"])
    assert image["RepoTags"] is None
    assert members(travelled)[image["Layers"][0]] == saved()["layer.tar"]
    (tmp_path / "plain.tar").write_bytes(FORMS["docker save"]())
    assert archive.read(tmp_path / "plain.tar").digest == read.digest


def test_layers_that_are_gzipped_travel_so(tmp_path: Path) -> None:
    (tmp_path / "app.tar").write_bytes(tar(as_oci(saved(), packed=True, compatible=False)))
    read = archive.read(tmp_path / "app.tar")
    assert read.config == f"sha256:{config_of(saved())}"
    assert gzip.decompress(members(b"".join(read.read()))["0.tar"]) == saved()["layer.tar"]


@pytest.mark.parametrize("start", [0, 1, 511, 512, 700, 3000, 5000])
def test_what_travels_is_gone_on_with_at_any_byte(tmp_path: Path, start: int) -> None:
    (tmp_path / "app.tar").write_bytes(FORMS["docker save"]())
    read = archive.read(tmp_path / "app.tar")
    assert b"".join(read.read(start)) == b"".join(read.read())[start:]


def changed_layer() -> bytes:
    parts = saved()
    return tar(parts | {"layer.tar": parts["layer.tar"].replace(b"hello", b"hullo")})


def changed_config() -> bytes:
    parts = saved()
    name = f"{config_of(parts)}.json"
    return tar(parts | {name: parts[name].replace(b"amd64", b"arm64")})


def without(name: str) -> bytes:
    return tar({one: body for one, body in saved().items() if one != name})


def manifest(text: Callable[[bytes], bytes]) -> bytes:
    return tar(saved() | {"manifest.json": text(saved()["manifest.json"])})


WRONG: dict[str, tuple[Callable[[], bytes], str]] = {
    "truncated in the layer": (lambda: FORMS["docker save"]()[:3000], "it is no whole image archive"),
    "truncated before its manifest": (lambda: without("manifest.json"), "neither manifest.json nor index.json"),
    "an empty file": (lambda: b"", "it is no whole image archive"),
    "gzipped as a whole": (lambda: gzip.compress(FORMS["docker save"]()), "it is no whole image archive"),
    "a layer of another image": (changed_layer, "layer 1 of 1 is not the one"),
    "a configuration that was changed": (changed_config, "its configuration"),
    "a layer too few": (lambda: manifest(lambda text: text.replace(b'"layer.tar"', b"")), "it has 0 layers"),
    "a layer that is not there": (lambda: without("layer.tar"), "layer.tar is not in it"),
    "two images": (lambda: manifest(lambda text: text[:-1] + b"," + text[1:]), "it holds 2 images"),
    "no JSON": (lambda: manifest(lambda _: b"{"), "a part that describes it"),
    "a page of a proxy": (lambda: b"<html>not found</html>", "it is no whole image archive"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_not_whole_is_refused_by_name(tmp_path: Path, case: str) -> None:
    body, reason = WRONG[case]
    path = tmp_path / "app.tar"
    path.write_bytes(body())
    with pytest.raises(InputError) as refused:
        archive.read(path)
    (problem,) = refused.value.problems
    assert problem.where == str(path)
    assert reason in problem.what
    assert problem.remedy


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="1 mistake") as refused:
        archive.read(tmp_path / "none.tar")
    assert "No such file" in refused.value.problems[0].what


def test_an_archive_of_another_image_than_declared_is_refused(tmp_path: Path) -> None:
    (tmp_path / "app.tar").write_bytes(FORMS["docker save"]())
    with pytest.raises(InputError) as refused:
        archive.holding(tmp_path / "app.tar", "sha256:" + "0" * 64)
    assert "declared sha256:000" in refused.value.problems[0].what


def test_a_file_that_changes_is_compared_anew(tmp_path: Path) -> None:
    path = tmp_path / "app.tar"
    path.write_bytes(FORMS["docker save"]())
    archive.read(path)
    broken = bytearray(path.read_bytes())
    broken[broken.index(b"hello")] ^= 1
    path.write_bytes(bytes(broken))
    os.utime(path, ns=(1, 1))
    archive.read.cache_clear()
    with pytest.raises(InputError):
        archive.read(path)
