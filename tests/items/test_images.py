"""The images item: where an image comes from, which digest counts, and what is refused before any host is touched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hostmuster.errors import InputError
from hostmuster.images import archive
from hostmuster.item import Answer, Effect
from hostmuster.lab import container_image
from hostmuster.resources.image import FromArchive, FromRegistry
from tests.items.project import compiled, resource

CONFIG, MANIFEST = f"sha256:{'c' * 64}", f"sha256:{'e' * 64}"
PULLED = {"config": CONFIG, "manifest": MANIFEST}


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    archive.read.cache_clear()


def images(folder: Path, declared: dict[str, Any], host: str = "server-1", **more: Any) -> Any:
    """The item on one host."""
    return compiled(folder, "images", {"images": {"declared": declared, **more}}, host)


def saved(folder: Path) -> Path:
    path = folder / "app.tar"
    path.write_bytes(container_image.archive({"motd": b"hello\n"}, "other:9"))
    return path


def refused(folder: Path, declared: dict[str, Any], **more: Any) -> str:
    with pytest.raises(InputError) as error:
        images(folder, declared, **more)
    return str(error.value)


def effect(part: Any, name: str) -> Effect:
    found: dict[str, Effect] = {one.name: one for one in part.effects}
    return found[name]


def test_an_archive_says_itself_which_config_digest_is_declared(tmp_path: Path) -> None:
    read = archive.read(saved(tmp_path))
    image = resource(images(tmp_path, {"app:1": {"archive": "app.tar"}}), "image app:1")
    assert image.config == read.config
    assert image.source == FromArchive(str(tmp_path / "app.tar"), read.digest, read.size, "service")


def test_a_pull_is_declared_by_both_digests(tmp_path: Path) -> None:
    image = resource(images(tmp_path, {"reg.local:5000/app:1": PULLED}), "image reg.local:5000/app:1")
    assert (image.config, image.source) == (CONFIG, FromRegistry(MANIFEST))


def test_each_debian_gets_the_packages_that_make_an_engine_there(tmp_path: Path) -> None:
    packages = [resource(images(tmp_path, {}, host), "engine docker").packages for host in ("server-1", "worker-1")]
    assert packages == [("docker.io",), ("docker.io", "docker-cli")]


def test_an_item_that_nobody_declares_is_no_line(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not enough values"):
        compiled(tmp_path, "images", {})


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no tag": ({"app": PULLED}, "no tag in `app`"),
    "neither place": ({"app:1": {"config": CONFIG}}, "an image comes from one place"),
    "both places": ({"app:1": PULLED | {"archive": "app.tar"}}, "an image comes from one place"),
    "a pull by the manifest alone": ({"app:1": {"manifest": MANIFEST}}, "without its config digest"),
    "a short digest": ({"app:1": PULLED | {"config": "sha256:abc"}}, "`sha256:abc` is not a digest"),
    "no file": ({"app:1": {"archive": "none.tar"}}, "No such file"),
    "another image's archive": ({"app:1": {"archive": "app.tar", "config": CONFIG}}, f"declared {CONFIG}"),
    "one name, spelt twice": ({"app:1": PULLED, "docker.io/library/app:1": dict(PULLED)}, "declared twice"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_before_any_host_is_touched(tmp_path: Path, case: str) -> None:
    saved(tmp_path)
    declared, reason = REFUSED[case]
    assert reason in refused(tmp_path, declared)


def test_a_truncated_archive_is_refused_before_any_host_is_touched(tmp_path: Path) -> None:
    path = saved(tmp_path)
    path.write_bytes(path.read_bytes()[:2000])
    assert "it is no whole image archive" in refused(tmp_path, {"app:1": {"archive": "app.tar"}})


@pytest.mark.parametrize("registry", ["https://reg.local", "reg.local/app", "regname", ""])
def test_a_registry_is_written_as_references_begin(tmp_path: Path, registry: str) -> None:
    assert "is no registry" in refused(tmp_path, {}, insecure=[registry])


def test_a_tag_moved_by_hand_does_not_hold_and_the_store_is_named(tmp_path: Path) -> None:
    judge = effect(images(tmp_path, {"app:1": PULLED}), "image app:1").judge
    moved = judge(Answer(0, f"containerd {MANIFEST} {MANIFEST} app:1 old:1\ncontainerd {CONFIG} {CONFIG} b:1\n"))
    assert (moved.ok, moved.seen) == (False, f"config digest {MANIFEST} (store containerd)")
    assert judge(Answer(0, f"overlay2 {CONFIG} {CONFIG} app:1\n")).ok
    assert judge(Answer(0, "")).seen == "missing"


def test_live_restore_is_asked_of_the_running_engine(tmp_path: Path) -> None:
    judge = effect(images(tmp_path, {}, live_restore=True), "the engine answers").judge
    said = "program /usr/sbin/dockerd\nstore overlay2\nversion 26.1\nlive {}\n"
    assert judge(Answer(0, said.format("true"))).ok
    assert not judge(Answer(0, said.format("false"))).ok
    assert judge(Answer(0, "program /usr/sbin/dockerd")).seen == "it does not answer"


@pytest.mark.parametrize(("lasts", "waited_for"), [("lasting", False), ("passing", True)])
def test_an_engine_that_does_not_come_up_is_waited_for_only_where_that_helps(
    tmp_path: Path, lasts: str, waited_for: bool
) -> None:
    judge = effect(images(tmp_path, {}), "the engine answers").judge
    seen = judge(Answer(0, f"program /usr/sbin/dockerd\ntrouble {lasts} docker.service is failed since noon\n"))
    assert (seen.ok, seen.seen, seen.lasts) == (False, "docker.service is failed since noon", not waited_for)


def test_an_image_is_run_only_where_the_fleet_names_a_command(tmp_path: Path) -> None:
    part = images(tmp_path, {"app:1": PULLED, "b:1": PULLED | {"runs": ["true"]}})
    assert [one.name for one in part.effects if one.cost == "deep"] == ["image b:1 runs"]
    assert effect(part, "image b:1 runs").ask[2:7] == ("docker", "run", "--rm", "--network", "none")
