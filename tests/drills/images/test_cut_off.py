"""Cut off in the middle of it: the controller killed, the host without power; it goes on, and nothing half counts."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from tests.lab.failures.trial import ended, kill_engine
from tests.lab.images.site import LARGE, MIB, Site
from tests.lab.pair import HOSTS, NEW, OLD
from tests.waiting import await_that

SIZE, SOME = 128 * MIB, 16 * MIB
PARTIAL = "/var/cache/hostmuster-content/*.partial"
HELD = "/run/held"
# Programs that stop in the middle while HELD is there: one takes a part only, one has loaded and does not say so.
STOPPING = {
    "head": f"""\
if [ -e {HELD} ] && [ "$1" = -c ] && [ "$2" -gt {SOME} ]; then
    /usr/bin/head -c {SOME}
    while [ -e {HELD} ]; do sleep 0.05; done
    exec /usr/bin/head -c $(($2 - {SOME}))
fi""",
    "docker": f"""\
if [ -e {HELD} ] && [ "$1" = load ]; then
    /usr/bin/docker "$@" || exit
    while [ -e {HELD} ]; do sleep 0.05; done
    exit
fi""",
}


@pytest.fixture
def large(site: Site) -> Iterator[str]:
    """The config digest of a large image that no host has; on its way it stops on every host."""
    config = site.save_large(SIZE // MIB)
    for host in HOSTS:
        site.lab.run(host, f"docker image rm -f {LARGE}; rm -rf /var/cache/hostmuster-content/*; sync")
        for program, stops in STOPPING.items():
            script = f'#!/bin/sh\n{stops}\nexec /usr/bin/{program} "$@"\n'
            site.on(host, f"cat >/usr/local/sbin/{program} <<'END'\n{script}END\nchmod 755 /usr/local/sbin/{program}")
        # On disk: one that a power loss left empty would succeed without a word, and so "answer".
        site.on(host, f"sync; touch {HELD}")
    site.declare()
    yield config
    for host in HOSTS:
        # On disk, too: the next power loss brings none of them back.
        site.on(host, f"rm -f {HELD} {' '.join(f'/usr/local/sbin/{program}' for program in STOPPING)}; sync")


def go_on(site: Site, *hosts: str) -> None:
    """Nothing stops there any more, and what had stopped is over."""
    for host in hosts:
        site.on(host, f"rm -f {HELD}")
        site.wait_until(host, "! pgrep -x head")


def begun(site: Site, *words: str) -> subprocess.Popen[str]:
    """An apply under way."""
    return subprocess.Popen(
        site.project.command("apply", *words),
        cwd=site.project.folder,
        env=site.project.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def have(site: Site, host: str) -> int:
    """Bytes that came so far."""
    return int(site.lab.run(host, f"stat -c %s {PARTIAL} 2>/dev/null || echo 0").stdout.split()[0])


def killed_with_some(site: Site, host: str) -> int:
    """The controller dies when some of it came; how much that was."""
    process = begun(site, "--limit", host)
    await_that(lambda: have(site, host) == SOME, 60, "a part comes")
    kill_engine(process)
    # What was still on its way to the host may come yet.
    go_on(site, host)
    came = have(site, host)
    assert SOME <= came < SIZE
    return came


def test_the_controller_killed_in_a_transfer_goes_on_where_it_was(site: Site, large: str) -> None:
    came = killed_with_some(site, OLD)
    assert not site.lab.run(OLD, f"docker image inspect {LARGE}").ok
    sent = site.sent_by_controller()
    site.apply("--limit", OLD)
    assert site.sent_by_controller() - sent < SIZE - came + 8 * MIB
    assert site.image(OLD, LARGE) == large


def test_a_part_with_wrong_bytes_comes_anew(site: Site, large: str) -> None:
    killed_with_some(site, OLD)
    site.on(OLD, f"dd if=/dev/zero of=$(echo {PARTIAL}) bs=1M seek=1 count=1 conv=notrunc")
    site.apply("--limit", OLD)
    assert site.image(OLD, LARGE) == large


def test_a_host_that_loses_power_in_a_transfer_is_as_before_and_the_others_go_on(site: Site, large: str) -> None:
    process = begun(site)
    await_that(lambda: any(have(site, host) == SOME for host in HOSTS), 60, "a part comes")
    first = next(host for host in HOSTS if have(site, host) == SOME)
    (other,) = {*HOSTS} - {first}
    go_on(site, other)
    site.lab.kill(first)
    assert ended(process, 180).exit == 1
    assert site.image(other, LARGE) == large, "the controller sends it to another host"
    site.lab.start(first)
    site.await_engine(first)
    assert not site.lab.run(first, f"docker image inspect {LARGE}").ok
    site.apply()
    assert site.image(first, LARGE) == large


def test_power_lost_while_it_is_loaded_leaves_nothing_that_counts(site: Site, large: str) -> None:
    go_on(site, OLD)
    # The whole of it comes; then the engine's own program does not come back.
    site.on(NEW, "rm /usr/local/sbin/head")
    process = begun(site, "--limit", NEW)
    site.wait_until(NEW, '[ -n "$(find /var/lib/docker/overlay2 -name pad)" ]', 90)
    assert site.lab.run(NEW, "ls /var/cache/hostmuster-content/*.loading").ok, "it is not whole yet"
    site.lab.kill(NEW)
    ended(process, 180)
    site.lab.start(NEW)
    site.await_engine(NEW)
    check = site.run("check")
    assert any(one.startswith(f"image {LARGE}: ") for one in check.item(NEW, "images")["differences"])
    site.apply()
    assert site.image(NEW, LARGE) == large
    site.on(NEW, f"docker save {LARGE} >/dev/null")  # compares every layer with its digest
    assert site.on(NEW, "ls -A /var/cache/hostmuster-content") == ""


def test_after_a_reboot_all_holds_without_an_apply(site: Site) -> None:
    site.images.pop(LARGE, None)
    site.apply()
    for host in HOSTS:
        site.lab.kill(host)
    for host in HOSTS:
        site.lab.start(host)
    for host in HOSTS:
        site.wait_until(host, f"curl -fsS -m 3 http://{site.address(host)}:8088/version", 90)
    verify = site.run("verify", "--deep")
    assert verify.exit == 0, verify.errors
    assert site.run("check").exit == 0
