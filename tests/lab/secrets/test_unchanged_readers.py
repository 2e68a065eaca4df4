"""Effectively equal means no restart: a generation concerns those of whose files one differs, there and back (O4)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hostmuster.secrets.moment import FOLDER
from tests.lab.secrets.sharers import HOSTS, READERS, UNIT, Sharers

OTHER = "quiet.service"
QUIET = """\
[Unit]
Description=Reads another secret
[Service]
ExecStart=/bin/sleep infinity
DynamicUser=yes
[Install]
WantedBy=multi-user.target
"""
START = "systemctl show -p MainPID -p InvocationID -p ActiveEnterTimestamp --timestamp=us+utc"


@pytest.fixture
def two(sharers: Sharers) -> Iterator[Sharers]:
    """A second service on each host, with a secret that the first one does not read."""
    fleet = sharers.fleet
    secrets, units = fleet.settings["secrets"], fleet.settings["units"]
    (fleet.folder / "templates" / "units" / f"{OTHER}.j2").write_text(QUIET)
    assert sharers.set("quiet-token", "quiet-token-of-the-first-day").exit == 0
    quiet = {"unit": OTHER, "files": {"quiet-token": "quiet-token"}}
    fleet.settings["secrets"] = {"readers": {**READERS, "quiet": quiet}}
    fleet.settings["units"] = {"declared": {**units["declared"], OTHER: {"template": f"{OTHER}.j2"}}}
    sharers.want()
    yield sharers.settled()
    fleet.settings |= {"secrets": secrets, "units": units}
    sharers.want()


def starts(sharers: Sharers, unit: str) -> list[str]:
    """Which start the service is in, on each host: its process, and since when."""
    return [sharers.on(host, f"{START} {unit}") for host in HOSTS]


def quiet_tokens(sharers: Sharers) -> set[str]:
    """What the second service was given."""
    return {sharers.on(host, f"cat /run/credentials/{OTHER}/quiet-token") for host in HOSTS}


def assert_none_in(before: list[str], now: list[str]) -> None:
    assert not {*before} & {*now}


def test_a_changed_secret_restarts_those_alone_who_read_it(two: Sharers) -> None:
    reader, quiet = starts(two, UNIT), starts(two, OTHER)
    number = two.rollout().document["generation"]

    assert two.set("api-token", "token-of-one-reader").exit == 0
    done = two.rollout()
    assert done.exit == 0, done.errors
    assert done.document["generation"] == number + 1
    assert two.tokens() == ["token-of-one-reader"] * 4
    assert_none_in(reader, now := starts(two, UNIT))
    assert starts(two, OTHER) == quiet
    verify = two.fleet.run("verify")
    assert verify.exit == 0, verify.errors

    assert two.set("quiet-token", "quiet-token-of-another-day").exit == 0
    done = two.rollout()
    assert done.exit == 0, done.errors
    assert quiet_tokens(two) == {"quiet-token-of-another-day"}
    assert_none_in(quiet, starts(two, OTHER))
    assert starts(two, UNIT) == now
    verify = two.fleet.run("verify")
    assert verify.exit == 0, verify.errors
    assert {two.fleet.run("apply").item(host, "secrets")["status"] for host in HOSTS} == {"ok"}
    assert starts(two, UNIT) == now


def test_a_rollout_that_is_taken_back_restarts_those_alone_as_well(two: Sharers) -> None:
    generations, tokens, quiet = two.generations(), two.tokens(), starts(two, OTHER)
    assert two.set("api-token", "token-that-is-refused").exit == 0
    done = two.rollout()
    assert done.exit == 1
    assert "taken back on all hosts" in done.errors
    assert (two.generations(), two.tokens()) == (generations, tokens)
    assert starts(two, OTHER) == quiet
    verify = two.fleet.run("verify")
    assert verify.exit == 0, verify.errors
    assert two.set("api-token", "token-after-it-was-taken-back").exit == 0
    assert two.rollout().exit == 0
    assert starts(two, OTHER) == quiet


def test_hosts_that_an_older_hostmuster_set_up_restart_no_more_than_that(two: Sharers) -> None:
    for host in HOSTS:
        two.on(host, f"rm -r {FOLDER} && systemctl restart {UNIT} {OTHER}")  # as its rollouts did to all
    quiet = starts(two, OTHER)
    assert two.fleet.run("verify").exit == 0
    assert two.set("api-token", "token-of-a-newer-hostmuster").exit == 0
    done = two.rollout()
    assert done.exit == 0, done.errors
    assert two.tokens() == ["token-of-a-newer-hostmuster"] * 4
    assert starts(two, OTHER) == quiet
    verify = two.fleet.run("verify")
    assert verify.exit == 0, verify.errors


def test_who_was_not_restarted_since_its_own_secret_changed_is_named(two: Sharers) -> None:
    two.on("server-1", f"touch -h {FOLDER}/{OTHER}")
    done = two.fleet.run("verify")
    assert done.exit == 1
    assert f"{OTHER} runs with the host's generation: does not hold" in done.errors
    assert f"{UNIT} runs with the host's generation: does not hold" not in done.errors
    two.on("server-1", f"systemctl restart {OTHER}")
    assert two.fleet.run("verify").exit == 0
