"""The digest of a recipe: everything that decides what is on a bare host's disk changes it."""

from __future__ import annotations

from dataclasses import replace

from hostmuster.lab.mirror import Mirror
from hostmuster.lab.recipe import recipe

MIRROR = Mirror((("", "http://mirror.example/debian"), ("-security", "http://security.example/debian")))


def test_the_same_recipe_has_the_same_digest() -> None:
    assert recipe("bookworm", MIRROR).digest == recipe("bookworm", MIRROR).digest


def test_whatever_changes_the_disk_changes_the_digest() -> None:
    base = recipe("bookworm", MIRROR)
    others = [
        recipe("trixie", MIRROR),
        recipe("bookworm", replace(MIRROR, addresses=(("", "http://other.example/debian"),))),
        recipe("bookworm", replace(MIRROR, ignore_dates=True)),
        replace(base, packages=(*base.packages, "vim-tiny")),
        replace(base, units_off=()),
        replace(base, version=base.version + 1),
    ]
    assert len({base.digest, *(other.digest for other in others)}) == len(others) + 1


def test_the_image_brings_nothing_that_an_item_has_to_bring() -> None:
    assert not {"python3", "chrony", "docker.io", "rsync"} & set(recipe("bookworm", MIRROR).packages)


def test_chronys_unit_is_woken_only_in_the_lab() -> None:
    files = dict(recipe("bookworm", MIRROR).files)
    assert "ConditionCapability=\n" in files["/etc/systemd/system/chrony.service.d/lab.conf"]
    assert "-x" in files["/etc/systemd/system/chrony.service.d/lab.env"]
