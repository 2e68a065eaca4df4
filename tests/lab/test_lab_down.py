"""lab.down: nothing stays, whenever and however the lab's maker was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from hostmuster.lab import image, kernel, recipe, wreck
from hostmuster.lab.cgroup import ControlGroup
from hostmuster.lab.folder import LabFolder, all_labs
from hostmuster.lab.lab import Lab
from hostmuster.lab.machine import Machine
from hostmuster.lab.mirror import Mirror
from hostmuster.lab.subnet import Subnet

NAME = f"test-{os.getpid()}-wreck"
FOLDER = LabFolder(NAME)
ROOT = Path(__file__).parents[2]

UP = f"""
from hostmuster.lab.lab import Lab
from hostmuster.lab.machine import Machine
Lab.up(lambda net: [Machine(f"h-{{n}}", net.at(10 + n)) for n in (1, 2, 3)], name={NAME!r})
"""


def traces(needle: str) -> list[str]:
    """What the machine still has with `needle` in it: asked of /proc and the tools, not of the lab's own code."""
    found = [f"file {needle}"] if Path(needle).exists() else []
    # os.walk passes over a group that other labs' hosts end while we look; rglob would raise.
    found += [f"group {folder}" for folder, _, _ in os.walk("/sys/fs/cgroup") if needle in folder]
    for process in Path("/proc").glob("[0-9]*"):
        try:
            running = (process / "cmdline").read_bytes() and needle in (process / "cgroup").read_text()
            called = needle.encode() in (process / "cmdline").read_bytes()
            mounted = needle in (process / "mountinfo").read_text()
        except OSError:  # it ended while we looked
            continue
        if (running or called or mounted) and process.name != str(os.getpid()):
            found.append(f"process {process.name}")
    listings = {"loop": ["losetup", "--all"], "rule": ["nft", "list", "ruleset"], "link": ["ip", "link"]}
    for kind, argv in listings.items():
        listed = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
        found += [f"{kind}: {line}" for line in listed.splitlines() if needle in line]
    return found


def links() -> set[str]:
    """The machine's network interfaces, without those of labs that run beside this one and come and go meanwhile."""
    before = links_of_others()
    there = {link.name for link in Path("/sys/class/net").iterdir()}
    return there - before - links_of_others()


def links_of_others() -> set[str]:
    """The interfaces that labs other than this module's have now."""
    records = [LabFolder(name).read() for name in all_labs() if name != NAME]
    return {Subnet(record.slot).link for record in records if record}


@contextmanager
def killed_when(moment: Callable[[], bool], source: str) -> Iterator[None]:
    """Run Python in a process of its own and kill -9 it as soon as `moment` has come."""
    maker = subprocess.Popen([sys.executable, "-c", source], cwd=ROOT)
    try:
        deadline = time.monotonic() + 60
        while not moment():
            assert maker.poll() is None, "it ended before the moment came"
            assert time.monotonic() < deadline, "the moment never came"
            time.sleep(0.002)
    finally:
        maker.send_signal(signal.SIGKILL)
        maker.wait()
    yield


def group(*names: str) -> ControlGroup:
    """A control group of this module's lab."""
    return ControlGroup.named(NAME, *names)


MOMENTS: dict[str, Callable[[], bool]] = {
    "its folder is there": lambda: FOLDER.read() is not None,
    "the switch is being made": lambda: group("_switch", "holder").is_populated,
    "the switch is on": lambda: group("_switch", "packages").is_populated,
    "a disk is there": lambda: any((FOLDER.root / "hosts").glob("*/disk.img")),
    "the first host boots": lambda: any(group(f"host-h-{n}").is_populated for n in (1, 2, 3)),
    "all hosts boot": lambda: all(group(f"host-h-{n}").is_populated for n in (1, 2, 3)),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_nothing_stays_of_a_lab_whose_maker_was_killed(session_lab: Lab, moment: str) -> None:
    before = links()
    with killed_when(MOMENTS[moment], UP):
        wreck.clear(NAME)
    assert traces(NAME) == []
    assert links() == before
    with Lab.up(lambda net: [Machine("h-1", net.at(11))], name=NAME) as again:
        assert again.run("h-1", "true").ok
    assert traces(NAME) == []
    assert session_lab.hosts["server-1"].state == "running"


def test_a_lab_whose_maker_was_killed_can_be_brought_up_without_taking_it_down(session_lab: Lab) -> None:
    with killed_when(MOMENTS["the first host boots"], UP):
        pass
    with Lab.up(lambda net: [Machine("h-1", net.at(11)), Machine("h-2", net.at(12))], name=NAME) as lab:
        assert all(lab.run(name, "true").ok for name in lab.hosts)
    assert traces(NAME) == []


def test_a_lab_that_lost_its_switch_comes_up_again(session_lab: Lab) -> None:
    with Lab.up(lambda net: [Machine("h-1", net.at(11))], name=NAME) as lab:
        lab.run("h-1", "echo kept > /root/kept; sync")
        lab.switch.control_group.kill()
        Lab.up(lambda net: [Machine("h-1", net.at(11))], name=NAME)
        assert lab.run("h-1", "cat /root/kept").stdout == "kept\n"
    assert traces(NAME) == []


def test_down_of_a_lab_that_was_never_up_changes_nothing(session_lab: Lab) -> None:
    before = links()
    wreck.clear(NAME)
    wreck.clear(NAME)
    assert links() == before
    assert session_lab.hosts["server-1"].state == "running"


def test_up_with_other_hosts_keeps_those_that_stay_and_removes_the_others(session_lab: Lab) -> None:
    with Lab.up(lambda net: [Machine(f"h-{n}", net.at(10 + n)) for n in (1, 2)], name=NAME) as lab:
        leader = lab.hosts["h-1"].leader()
        lab = Lab.up(lambda net: [Machine(f"h-{n}", net.at(10 + n)) for n in (1, 3)], name=NAME)
        assert list(lab.hosts) == ["h-1", "h-3"]
        assert lab.hosts["h-1"].leader() == leader
        assert traces(f"{FOLDER.root}/hosts/h-2") == []
        assert lab.run("h-3", "true").ok


def test_the_inotify_limit_stays_raised_while_another_lab_is_up(session_lab: Lab) -> None:
    with Lab.up(lambda net: [Machine("h-1", net.at(11))], name=NAME):
        pass
    assert int(kernel.INSTANCES.read_text()) >= kernel.ENOUGH


def test_nothing_runs_or_is_mounted_after_an_image_build_was_killed(session_lab: Lab) -> None:
    mirror = Mirror.of_this_machine()
    suite = f"bookworm-{os.getpid()}"
    unfinished = image.folder() / f".building-{suite}"
    steps = f"mkdir -p {unfinished}/proc; mount -t proc proc {unfinished}/proc; sleep 600; true"
    source = f"""
from dataclasses import replace
from pathlib import Path
from hostmuster.lab import image, recipe
from hostmuster.lab.mirror import Mirror
from hostmuster.lab.subnet import Subnet
mirror = Mirror.of_this_machine()
image.debootstrap = lambda *_: ["sh", "-c", {steps!r}]
image.ensure(replace(recipe.recipe("bookworm", mirror), suite={suite!r}), mirror, print)
"""
    try:
        with killed_when(lambda: (unfinished / "proc").is_dir(), source):
            deadline = time.monotonic() + 60
            while traces(str(unfinished)) != [f"file {unfinished}"]:
                assert time.monotonic() < deadline, traces(str(unfinished))
                time.sleep(0.05)
        finished = image.folder() / replace(recipe.recipe("bookworm", mirror), suite=suite).name
        assert not finished.exists()
    finally:
        image.sweep(suite)
    assert traces(str(unfinished)) == []
