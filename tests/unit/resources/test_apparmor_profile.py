"""A profile as the kernel has it: how it differs, what mends it, and what must be left alone."""

from __future__ import annotations

import subprocess

import pytest

from hostmuster.resources.apparmor_profile import PROFILES, AppArmorProfile, settle
from hostmuster.resources.resource import Observation
from hostmuster.resources.step import Blocked, Keep, Owe, PutLink, Run

APP = AppArmorProfile("app", restarts=("app.service",))


def seen(*lines: str) -> Observation:
    """A host whose probe said this of the profile app, and something of others."""
    output = "\n".join([*(f"app|{line}" for line in lines), "apple|mode enforce"])
    return Observation({(PROFILES.name, key): said for key, said in PROFILES.split(output, ["app"]).items()})


def differences(profile: AppArmorProfile, *lines: str) -> list[str]:
    """Aspects and what they are."""
    return [f"{one.aspect} is {one.have}" for one in profile.compare(seen(*lines))]


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (("kernel there", "mode enforce", "file app"), []),
        (("kernel there", "mode kill", "file app"), []),
        (("kernel there", "file app"), ["mode is not loaded"]),
        (("kernel there", "mode complain", "file app"), ["mode is complain"]),
        (("kernel there", "mode enforce", "text another"), ["text in the kernel is another than was compiled"]),
        (("file app",), []),
        ((), []),
        (("kernel there", "mode enforce", "link disable"), ["start at boot is changed by disable/app"]),
        (("kernel there", "mode enforce", "link force-complain"), ["start at boot is changed by force-complain/app"]),
        (("kernel there", "mode enforce", "file usr.bin.app"), ["name is that of /etc/apparmor.d/usr.bin.app"]),
        (("kernel there", "mode enforce", "package app-tools"), ["name is that of the package app-tools"]),
    ],
)
def test_how_it_differs(lines: tuple[str, ...], found: list[str]) -> None:
    assert differences(APP, *lines) == found


def test_one_that_shall_only_complain_is_so_after_a_boot_too() -> None:
    trial = AppArmorProfile("app", enforcing=False)
    assert differences(trial, "kernel there", "mode complain", "link force-complain") == []
    assert differences(trial, "kernel there", "mode complain") == ["start at boot is enforcing"]
    assert differences(trial, "kernel there", "mode enforce", "link force-complain") == ["mode is enforce"]
    assert PutLink("/etc/apparmor.d/force-complain/app", "../app") in list(trial.steps(seen("kernel there")))


def test_an_unloaded_one_is_loaded_and_what_ran_without_it_is_restarted() -> None:
    load = Run(settle("app"), undo=settle("app"), once="files")
    assert list(APP.steps(seen("kernel there"))) == [Owe("app.service"), load]
    assert list(APP.steps(seen("kernel there", "mode complain"))) == [load]


def test_what_leaves_it_out_at_boot_is_kept_aside() -> None:
    steps = list(APP.steps(seen("kernel there", "mode enforce", "link disable")))
    assert steps[0] == Keep("/etc/apparmor.d/disable/app")
    assert steps[1] == Run(("rm", "-f", "--", "/etc/apparmor.d/disable/app"))


def test_the_profile_of_a_package_is_never_overwritten() -> None:
    steps = list(APP.steps(seen("kernel there", "mode enforce", "package app-tools")))
    assert steps[0] == Blocked(
        "the profile app is that of the package app-tools too: take another name, or move that away"
    )


def test_the_probe_knows_this_machines_packaged_profiles() -> None:
    done = subprocess.run(
        [*PROFILES.argv, "lsb_release", "hostmuster-none"], capture_output=True, text=True, check=True
    )
    said = PROFILES.split(done.stdout, ["lsb_release", "hostmuster-none"])
    assert {"file lsb_release", "package apparmor"} <= set(said["lsb_release"].splitlines())
    assert "hostmuster-none" not in said or "package" not in said["hostmuster-none"]
