"""A swap and a revocation whose controller and one host die together, at each of their steps: typed again they end."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest

from tests.drills.rotating.signers import HOSTS, Signers
from tests.lab.failures.trial import engine_of
from tests.lab.fleet_on_lab import Finished
from tests.waiting import await_that

VICTIM = "worker-2"
UNITS = ("workload.service", "workload-renderer.service")
# What each service that runs now was given, by its own credentials.
GIVEN = """\
for unit in workload workload-renderer; do
    systemctl is-active -q $unit && sha256sum </run/credentials/$unit.service/$1
done; true"""
GONE_S = 30
"""What a dead controller began has ended on hosts within so many seconds."""


def cut_off(signers: Signers, said: str, *words: str) -> None:
    """The run is at this step when its controller is killed and the victim loses power."""
    run = subprocess.Popen(
        signers.fleet.command(*words, "--json"),
        cwd=signers.fleet.folder,
        env=signers.fleet.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert run.stderr is not None
    engine = engine_of(run)
    assert any(f"rotation {said}" in line for line in run.stderr), f"it never said: {said}"
    os.kill(engine, signal.SIGKILL)
    signers.lab.kill(VICTIM)
    run.communicate(timeout=60)


def given(signers: Signers, credential: str, *hosts: str) -> set[str]:
    """The values that services run with, as digests; empty where none runs."""
    seen = [signers.lab.run(host, f"set -- {credential}; {GIVEN}") for host in hosts]
    assert all(one.ok for one in seen)
    return {line for one in seen for line in one.stdout.splitlines()}


def again(signers: Signers, *words: str) -> None:
    """Refused while the host is dead; typed again once it is back, it comes to its end."""

    def is_free() -> bool:
        return "is at work on it" not in (done := signers.fleet.run(*words)).errors and done.exit == 3

    await_that(is_free, GONE_S, "the dead run's leases are over, and the dead host refuses the next")
    signers.lab.start(VICTIM)
    done = signers.fleet.run(*words)
    assert done.exit == 0, done.errors
    assert len(set(numbers(signers).values())) == 1, "one generation everywhere"


def numbers(signers: Signers) -> dict[str, int]:
    """What each host has, as secrets.list shows it."""
    listed: dict[str, int] = signers.fleet.run("secrets.list").document["hosts"]
    return listed


def assert_apply_starts_nothing(signers: Signers, *hosts: str) -> None:
    """What was halted is nobody else's to start; an apply that does not goes through."""

    def applied(*words: str) -> Finished:
        done = signers.fleet.run("apply", "--limit", ",".join(hosts), *words)
        while "is at work on it" in done.errors:  # the dead run's leases
            done = signers.fleet.run("apply", "--limit", ",".join(hosts), *words)
        return done

    done = applied()
    assert done.exit == 3, done.errors
    for host in hosts:
        assert f"{host}: halted to replace or revoke a secret (" in done.errors
    assert all(unit in done.errors for unit in UNITS)
    assert applied("--item", "env_files").exit in (0, 1), "of what is seen of the service nothing holds"
    assert given(signers, "render-credential", *hosts) == set()


@pytest.mark.parametrize("said", ["store: replace", "stopped on", "generation"])
def test_a_swap_that_dies_never_has_two_values_serve(signers: Signers, said: str) -> None:
    signers.declare()
    rest = [host for host in HOSTS if host != VICTIM]
    before = signers.fleet.hostmuster("secrets.show", "render", "--reveal").output
    cut_off(signers, said, "secrets.rotate", "render")
    made = signers.fleet.hostmuster("secrets.show", "render", "--reveal").output
    assert made != before
    assert len(given(signers, "render-credential", *rest)) <= 1
    if said != "store: replace":
        assert_apply_starts_nothing(signers, *rest)
    signers.lab.start(VICTIM)
    assert len(given(signers, "render-credential", *HOSTS)) <= 1
    signers.lab.kill(VICTIM)
    again(signers, "secrets.rotate", "render")
    assert len(given(signers, "render-credential", *HOSTS)) == 1
    assert signers.fleet.hostmuster("secrets.show", "render", "--reveal").output == made, "no second value was made"
    assert all(signers.ask(host, "/render", "page")[0] == 200 for host in HOSTS)
    enabled = f"systemctl is-enabled -q {' '.join(UNITS)}"
    assert all(signers.lab.run(host, enabled).ok for host in HOSTS)


@pytest.mark.parametrize("said", ["store: revoke", "generation"])
def test_a_revocation_that_dies_only_goes_forward(signers: Signers, said: str) -> None:
    signers.declare()
    leaked = signers.ring().current.kid
    cut_off(signers, said, "secrets.revoke", "signing")
    again(signers, "secrets.revoke", "signing", "--kid", leaked)
    assert all(leaked not in kids for kids in signers.served())
    assert {key.kid for key in signers.ring().keys} == signers.signing()
    assert signers.fleet.run("check").exit == 0
