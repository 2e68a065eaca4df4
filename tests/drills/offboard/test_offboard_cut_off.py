"""A member that leaves while its controller dies, its host or another one loses power: typed again, it goes on."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from tests.lab.failures.trial import ended, engine_of
from tests.lab.onboard.site import NEW, OLD, THIRD, Site

PHASES = ("change service", "mark", f"{OLD}: change access", f"{NEW}: verify", "change secrets", "change login")


@pytest.fixture
def whole(members: Site) -> Iterator[Site]:
    """All three are members; the one that leaves is taken in again afterwards, so that the next test begins alike."""
    yield members
    for host in (OLD, NEW, THIRD):
        members.lab.start(host)
    members.lab.run(THIRD, "rm -f /run/hostmuster-pause*")
    done = members.fleet.run("onboard", THIRD, "--fingerprint", members.fingerprint(THIRD))
    assert done.exit == 0, done.errors
    assert members.fleet.run("apply").exit == 0


def leaving(site: Site) -> subprocess.Popen[str]:
    return subprocess.Popen(
        site.fleet.command("offboard", THIRD, "--json"),
        cwd=site.fleet.folder,
        env=site.fleet.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def until(run: subprocess.Popen[str], phase: str) -> None:
    assert run.stderr is not None
    assert any(phase in line for line in run.stderr), f"it never came to: {phase}"


def statuses(document: Any) -> dict[str, str]:
    return {line["item"]: line["status"] for line in document["checklist"]}


def assert_gone(site: Site, document: Any) -> None:
    """What the members say; what the host itself shows; and that no line failed."""
    assert "failed" not in statuses(document).values(), document["checklist"]
    assert statuses(document)[OLD] == statuses(document)[NEW] == "ok"
    assert not site.lab.run(THIRD, "systemctl -q is-active workload.service").ok
    assert not site.lab.run(THIRD, "id hostmuster || ls -d /etc/ssh/hostmuster/identity /etc/workload/service.env").ok
    for member in (OLD, NEW):
        assert not site.lab.run(member, f"getent -s files hosts {THIRD}").ok
        revoked = site.lab.run(member, "ssh-keygen -Qlf /etc/ssh/hostmuster/revoked.krl").stdout
        assert f":service@{THIRD}" in revoked


@pytest.mark.parametrize("phase", PHASES)
def test_the_controller_is_killed(whole: Site, phase: str) -> None:
    run = leaving(whole)
    until(run, phase)
    engine = engine_of(run)
    run.kill()
    os.kill(engine, signal.SIGKILL)
    run.communicate()
    again = whole.fleet.run("offboard", THIRD)
    assert again.exit == 0, again.errors
    assert_gone(whole, again.document)


@pytest.mark.parametrize("phase", ["change service", "change secrets"])
def test_the_host_loses_power(whole: Site, phase: str) -> None:
    run = leaving(whole)
    until(run, phase)
    whole.lab.kill(THIRD)
    assert ended(run, 120).exit == 1
    whole.lab.start(THIRD)
    again = whole.fleet.run("offboard", THIRD)
    assert again.exit == 0, again.errors
    assert_gone(whole, again.document)


def test_a_member_that_is_down_is_named_and_told_later(whole: Site) -> None:
    whole.lab.kill(NEW)
    run = whole.fleet.run("offboard", THIRD)
    assert run.exit == 1
    assert statuses(run.document)[NEW] == "failed"
    assert statuses(run.document)[OLD] == "ok"
    whole.lab.start(NEW)
    again = whole.fleet.run("offboard", THIRD)
    assert again.exit == 0, again.errors
    assert_gone(whole, again.document)


def test_a_host_that_is_lost_is_refused_by_name_with_all_that_it_still_has(whole: Site) -> None:
    whole.lab.kill(THIRD)
    asked = whole.fleet.hostmuster("offboard", THIRD)
    assert asked.exit == 3
    assert f"hostmuster offboard {THIRD} --lost" in asked.errors
    lost = whole.fleet.run("offboard", THIRD, "--lost")
    assert lost.exit == 0, lost.errors
    own = {item: status for item, status in statuses(lost.document).items() if item not in (OLD, NEW)}
    assert set(own.values()) == {"not_run"}
    assert lost.document["exposed"], "what it knew is listed"
    whole.lab.start(THIRD)
    for member in (OLD, NEW):
        said = whole.lab.run(THIRD, f"runuser -u service -- ssh -o BatchMode=yes -o ConnectTimeout=5 {member} id -un")
        assert "Permission denied" in said.stderr
    rest = whole.fleet.run("offboard", THIRD)
    assert rest.exit == 0, rest.errors
    assert_gone(whole, rest.document)
