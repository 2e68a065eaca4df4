"""An image, against what the script says of an engine with either store."""

from __future__ import annotations

import pytest

from hostmuster.resources.image import FromArchive, FromRegistry, Image
from hostmuster.resources.step import Deliver, Run
from tests.unit.resources.seen import found, seen

CONFIG, OTHER = f"sha256:{'c' * 64}", f"sha256:{'d' * 64}"
MANIFEST = f"sha256:{'e' * 64}"
ARCHIVE = FromArchive("/project/app.tar", "f" * 64, 2048, "service")
APP = Image("reg.local:5000/team/app:1", CONFIG, ARCHIVE)
PULLED = Image(APP.reference, CONFIG, FromRegistry(MANIFEST))


def words(image: Image, said: str) -> list[tuple[str, ...]]:
    """What its steps run, without the script they share."""
    runs = [step.argv for step in image.steps(seen(image, images=said)) if isinstance(step, Run)]
    return [argv[4:] for argv in runs]


@pytest.mark.parametrize("store", ["overlay2", "containerd"])
def test_in_either_store_the_config_digest_counts_and_not_the_id(store: str) -> None:
    assert found(APP, images=f"{store} {OTHER} {CONFIG} {APP.reference}") == {}


def test_a_tag_that_was_moved_is_named_with_the_store() -> None:
    said = f"containerd {MANIFEST} {OTHER} {APP.reference}\n"
    assert found(APP, images=said) == {"config digest": (f"{OTHER} (store containerd)", CONFIG)}


def test_an_image_that_is_there_under_another_name_only_gets_its_tag() -> None:
    said = f"overlay2 {OTHER} {OTHER} {APP.reference}\noverlay2 {CONFIG} {CONFIG} old:1\n"
    steps = list(APP.steps(seen(APP, images=said)))
    assert [type(step) for step in steps] == [Run]
    assert words(APP, said) == [("tag", CONFIG, APP.reference)]
    assert isinstance(steps[0], Run)
    assert steps[0].undo == ("docker", "tag", OTHER, APP.reference)


def test_an_image_whose_loading_was_interrupted_counts_for_nothing() -> None:
    said = f"overlay2 {CONFIG} half-loaded {APP.reference}"
    assert found(APP, images=said) == {"config digest": ("half-loaded (store overlay2)", CONFIG)}
    assert [argv[0] for argv in words(APP, said)] == ["load", "tag"]


def test_an_archive_is_delivered_before_it_is_loaded_and_tagged_last() -> None:
    steps = list(APP.steps(seen(APP)))
    assert steps[0] == Deliver("/project/app.tar", "f" * 64, 2048, "service")
    assert words(APP, "") == [
        ("load", f"/var/cache/hostmuster-content/{'f' * 64}", CONFIG),
        ("tag", CONFIG, APP.reference),
    ]


def test_a_pull_is_by_the_manifests_digest_and_never_by_the_tag() -> None:
    assert words(PULLED, "")[0] == ("pull", f"reg.local:5000/team/app@{MANIFEST}", CONFIG)


def test_one_image_under_two_spellings_is_one_claim() -> None:
    assert Image("docker.io/library/app:1", CONFIG, ARCHIVE).claim == Image("app:1", CONFIG, ARCHIVE).claim
