"""A container as it runs, beside its declaration: what differs owes its unit a restart, and is never done silently."""

from __future__ import annotations

from hostmuster.resources.container import Container
from hostmuster.resources.step import Owe, Run, Step
from tests.unit.resources.seen import found, seen

CONFIG, MANIFEST, OTHER = (f"sha256:{letter * 64}" for letter in "cde")
WEB = Container("web", "container-web.service", "abc", "app:1", CONFIG)
IMAGES = f"overlay2 {CONFIG} {CONFIG} app:1"
OWED = "/var/lib/hostmuster/owed/container-web.service|regular file|600|root|root|20|x"


def line(image: str = CONFIG, policy: str = "no", spec: str = "abc", old: str = "", running: str = "true") -> str:
    """What the probe says of it."""
    return f"web {running} {image} {policy} spec={spec} {old}".rstrip()


def steps(said: str, **more: str) -> list[Step]:
    return list(WEB.steps(seen(WEB, containers=said, **{"images": IMAGES, **more})))


def differences(said: str, **more: str) -> dict[str, tuple[str, str]]:
    return found(WEB, containers=said, **{"images": IMAGES, **more})


def test_as_declared() -> None:
    assert differences(line()) == {}


def test_in_the_containerd_store_it_is_known_by_its_images_manifest() -> None:
    assert differences(line(image=MANIFEST), images=f"containerd {MANIFEST} {CONFIG} app:1") == {}


def test_one_made_by_an_older_declaration_owes_a_restart_and_no_more() -> None:
    assert differences(line(spec="old")) == {"declaration": ("another", "this one")}
    assert steps(line(spec="old")) == [Owe("container-web.service")]


def test_one_that_somebody_made_by_hand_is_another_declaration() -> None:
    assert set(differences(line(spec=""))) == {"declaration"}


def test_one_of_another_image_is_named_once_the_tag_is_right() -> None:
    assert differences(line(image=OTHER)) == {"image": (OTHER, f"{CONFIG} (app:1)")}
    moved = f"overlay2 {OTHER} {OTHER} app:1"
    assert differences(line(), images=moved) == {}


def test_a_mounted_directory_that_was_replaced_is_named() -> None:
    said = line(old="/opt/web")
    assert differences(said) == {"mount of /opt/web": ("what lay there before", "what lies there")}
    assert steps(said) == [Owe("container-web.service")]


def test_while_the_restart_is_owed_nothing_differs() -> None:
    assert differences(line(spec="old", old="/opt/web"), stat=OWED) == {}


def test_a_restart_policy_of_dockers_own_is_taken_away_without_a_restart() -> None:
    said = line(policy="always")
    assert differences(said) == {"restart policy": ("always", "none beside systemd")}
    (step,) = steps(said)
    assert isinstance(step, Run)
    assert step.argv[-2:] == ("no", "web")
    assert step.undo[-2:] == ("always", "web")


def test_one_that_does_not_run_is_its_units_business() -> None:
    assert differences("") == {}
    assert differences(line(running="false", spec="old")) == {}
