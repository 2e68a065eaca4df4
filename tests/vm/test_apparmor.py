"""Profiles on a kernel that enforces them: what is refused, over a power loss, and what hands unload or weaken."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from hostmuster.lab.machine import Machine
from hostmuster.lab.vm.machine import ADDRESS
from tests.lab.fleet_on_lab import Finished
from tests.vm.conftest import HOST, Site

READER = "/usr/local/bin/reader"
UNIT = f"[Service]\nExecStart={READER} -f /dev/null\n[Install]\nWantedBy=multi-user.target\n"
SECRET, KERNEL = "/etc/shadow", "/sys/kernel/security/apparmor"
TRIAL = "docker-workload.trial"  # its entries in the kernel begin as those of the other
PROFILES: dict[str, Any] = {
    "docker-workload": {
        "template": "docker-workload.j2",
        "refused": ["head", "-c", "1", f"{KERNEL}/profiles"],
    },
    "host-workload": {
        "template": "host-workload.j2",
        "attaches": READER,
        "values": {"writes": ["/srv/work"]},
        "refused": [READER, "-n", "1", SECRET],
        "restarts": ["reader.service"],
    },
    TRIAL: {
        "text": f"abi <abi/3.0>,\ninclude <tunables/global>\nprofile {TRIAL} {{\n  include <abstractions/base>\n}}\n",
        "enforcing": False,
    },
}


@pytest.fixture(scope="module")
def applied(site: Site) -> Finished:
    """The first apply, on a host where the program runs already, without a profile."""
    site.shell(
        f"cp /usr/bin/tail {READER}; printf '{UNIT}' >/etc/systemd/system/reader.service; "
        f"systemctl -q enable --now reader; {READER} -n 1 {SECRET}; "
        "sync"  # a power loss of these tests would empty the copy, and an empty program is a script that succeeds
    )
    declare(site, PROFILES)
    return site.run("apply")


def declare(site: Site, profiles: dict[str, Any]) -> None:
    """These profiles, and a line beside them."""
    shell = {"path": "/etc/default/app", "consumer": "shell", "values": {"A": "1"}}
    site.fleet.settings = {"env_files": {"files": {"shell": shell}}, "apparmor": {"profiles": profiles}}
    site.fleet.declare([Machine(HOST, ADDRESS, 12, ("worker",))])


def effects(done: Finished) -> dict[str, tuple[bool | None, str]]:
    """What was seen of the item."""
    return {one["name"]: (one["ok"], one["seen"]) for one in done.item(HOST, "apparmor")["effects"]}


def test_a_program_that_ran_before_its_profile_is_restarted_under_it(site: Site, applied: Finished) -> None:
    assert applied.exit == 0, applied.errors
    assert applied.statuses(HOST) == {"env_files": "changed", "apparmor": "changed"}
    assert effects(applied) == {
        "the profiles are loaded": (True, f"docker-workload, host-workload, {TRIAL}"),
        f"{READER} runs under host-workload": (True, "1 processes"),
    }
    current = site.shell("cat /proc/$(systemctl show -p MainPID --value reader)/attr/apparmor/current")
    assert current == "host-workload (enforce)\n"


def test_the_kernel_refuses_what_the_profile_denies_and_says_so(site: Site, applied: Finished) -> None:
    done = site.vm.run(f"tail -n 1 {SECRET} >/dev/null && {READER} -n 1 /etc/hostname && {READER} -n 1 {SECRET}")
    assert (done.status, done.stdout) == (1, f"{HOST}\n")
    assert done.stderr == f"{READER}: cannot open '{SECRET}' for reading: Permission denied\n"
    (line, *_) = site.shell("journalctl -k -o cat --grep 'apparmor=\"DENIED\"' -n 1").splitlines()
    assert 'operation="open"' in line
    assert f'profile="host-workload" name="{SECRET}"' in line
    assert 'comm="reader"' in line


def test_after_a_power_loss_all_is_enforced_again_without_an_apply(site: Site, applied: Finished) -> None:
    site.vm.kill()
    site.vm.boot()
    done = site.run("verify", "--deep")
    assert done.exit == 0, done.errors
    assert effects(done) == {
        "the profiles are loaded": (True, f"docker-workload, host-workload, {TRIAL}"),
        f"{READER} runs under host-workload": (True, "1 processes"),
        f"docker-workload refuses `head -c 1 {KERNEL}/profiles`": (
            True,
            f"head: cannot open '{KERNEL}/profiles' for reading: Permission denied",
        ),
        f"host-workload refuses `{READER} -n 1 {SECRET}`": (
            True,
            f"{READER}: cannot open '{SECRET}' for reading: Permission denied",
        ),
        "what is loaded is what the files say": (True, "3 profiles"),
    }


def test_what_hands_unload_or_weaken_is_named_in_its_line_and_mended(site: Site, applied: Finished) -> None:
    site.shell(
        f"printf docker-workload >{KERNEL}/.remove; apparmor_parser -q -r -C /etc/apparmor.d/host-workload; "
        "ln -s ../docker-workload /etc/apparmor.d/disable/"
    )
    seen = site.run("verify")
    assert seen.exit == 1
    assert seen.statuses(HOST) == {"env_files": "ok", "apparmor": "failed"}
    assert effects(seen)["the profiles are loaded"] == (
        False,
        "docker-workload is not loaded, host-workload is in mode complain",
    )
    mended = site.run("apply")
    assert mended.exit == 0, mended.errors
    assert mended.item(HOST, "apparmor")["differences"] == [
        "profile docker-workload: start at boot is changed by disable/docker-workload, declared as its file says",
        "profile docker-workload: mode is not loaded, declared enforce",
        "profile host-workload: mode is complain, declared enforce",
    ]
    assert effects(mended)["the profiles are loaded"][0]
    assert not site.vm.run(f"{READER} -n 1 {SECRET}").ok


def test_another_text_under_the_name_is_seen_and_an_upgrade_leaves_ours(site: Site, applied: Finished) -> None:
    site.shell(
        "cd /tmp && sed 's/^  deny mount,//' /etc/apparmor.d/docker-workload >other && "
        "sed s/docker-workload/docker-default/ other >default && apparmor_parser -q -K -r other default"
    )
    done = site.run("check")
    assert done.exit == 2
    assert done.item(HOST, "apparmor")["differences"] == [
        "profile docker-workload: text in the kernel is another than was compiled, declared its file's"
    ]
    # What upgrades do: everything anew from its file, and away with what has none, as docker-default.
    kept = site.shell(f"systemctl reload apparmor; aa-remove-unknown >/dev/null; cut -d ' ' -f 1 {KERNEL}/profiles")
    assert sorted(kept.split()) == ["docker-workload", TRIAL, "host-workload"]
    assert site.run("check").exit == 0


def test_a_change_that_is_cut_after_its_load_is_taken_back_in_the_kernel_too(site: Site, applied: Finished) -> None:
    declare(site, PROFILES | {TRIAL: PROFILES[TRIAL] | {"enforcing": True}})
    # Its steps: the link is kept, and removed; how to undo the load, and the load.
    pause, last = "/run/hostmuster-pause", "switched.4"
    site.shell(f"echo {last} >{pause}")
    words = site.fleet.command("apply", "--yes")
    with subprocess.Popen(words, cwd=site.fleet.folder, env=site.fleet.environment, stderr=subprocess.DEVNULL) as run:
        site.shell(
            f"until grep -qs '^{last} ' {pause}.d; do sleep 0.2; done; "
            f"grep -x '{TRIAL} (enforce)' {KERNEL}/profiles && kill -9 $(cut -d ' ' -f 2 {pause}.d); "
            f"rm -f {pause} {pause}.d"
        )
    assert run.returncode == 1
    declare(site, PROFILES)
    done = site.run("apply")
    assert done.exit == 0, done.errors
    # Not changed by this apply: what was cut is taken back before it looks.
    assert done.item(HOST, "apparmor")["status"] == "ok"
    assert effects(done)["the profiles are loaded"][0]
