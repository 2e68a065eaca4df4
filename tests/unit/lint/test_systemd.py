"""Units that systemd would ignore a part of, expand to something else, or not start, are found on this machine."""

from __future__ import annotations

import pytest

from hostmuster.lint import systemd
from hostmuster.lint.linter import Artefact

GOOD = "[Unit]\nWants=network-online.target\nAfter=network-online.target\n[Service]\nExecStart=/opt/only/there\n"


def unit(body: str, name: str = "app.service") -> Artefact:
    """A unit as a host would get it."""
    return Artefact(f"/etc/systemd/system/{name}", body.encode())


def said(body: str) -> str:
    """Everything that is said of a unit."""
    artefact = unit(body)
    return "\n".join([*systemd.parse([artefact])[artefact], *systemd.traps(artefact)])


REFUSED = {
    "a percent sign of a URL": ("Environment=URL=https://h/a%20b", "line 3: Failed to resolve specifiers"),
    "a percent sign in a command": ("ExecStart=\nExecStart=/bin/echo 100%FREE", "Failed to resolve unit specifiers"),
    "a date in a command": ('ExecStart=\nExecStart=/bin/sh -c "date +%H:%M:%S"', "%H:%M looks like a date"),
    "a date in a variable": ("Environment=DATE=%Y-%m-%d", "line 3: %Y-%m looks like a date"),
    "a start limit in the wrong section": ("StartLimitIntervalSec=0", "StartLimitIntervalSec belongs in [Unit]"),
    "one that systemd takes in silence": ("StartLimitBurst=3", "StartLimitBurst belongs in [Unit]"),
    "a misspelled restart": ("Restart=allways", "Failed to parse service restart specifier"),
    "a oneshot that restarts": ("Type=oneshot\nRestart=always", "isn't allowed for Type=oneshot"),
    "two commands": ("ExecStart=/bin/false", "more than one ExecStart="),
    "a time that does not parse": ("TimeoutStopSec=90 secs", "Failed to parse time value"),
    "half an hour that is 30 seconds": ("TimeoutStopSec=1h30", "the last number has no unit"),
    "minutes that are months": ("RuntimeMaxSec=10M", "M is months"),
    "an unknown key": ("ExecStrat=/bin/true", "Unknown key"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_service_is_refused_for(case: str) -> None:
    line, reason = REFUSED[case]
    assert reason in said(f"[Service]\nExecStart=/bin/true\n{line}\n")


def test_after_alone_does_not_pull_the_network_in() -> None:
    body = "[Unit]\nAfter=network-online.target\n[Service]\nExecStart=/bin/true\n"
    assert "orders only" in said(body)


def test_a_dependency_without_its_kind_is_named() -> None:
    assert "Failed to add dependency on docker" in said("[Unit]\nAfter=docker\n[Service]\nExecStart=/bin/true\n")


@pytest.mark.parametrize(
    "line",
    ["Environment=A=100%%", "ExecStart=/bin/sh -c 'date +%%Y-%%m'", "TimeoutStopSec=1h 30min", "TimeoutStopSec=90"],
)
def test_what_is_meant_passes(line: str) -> None:
    body = "[Service]\nExecStart=/bin/true\n" if not line.startswith("ExecStart") else "[Service]\n"
    assert said(f"{body}{line}\n") == ""


def test_what_only_the_host_has_is_left_to_the_host() -> None:
    assert said(GOOD + "User=only-there\n") == ""
    assert said("[Unit]\nRequires=only-there.service\n" + GOOD.removeprefix("[Unit]\n")) == ""


def test_a_timer_is_read_as_a_timer() -> None:
    service = unit("[Service]\nType=oneshot\nExecStart=/bin/true\n", "nightly.service")
    timer = unit("[Timer]\nOnCalendar=dayly\n", "nightly.timer")
    told = systemd.parse([service, timer])
    assert told[service] == []
    assert "Failed to parse calendar specification" in "\n".join(told[timer])


def test_two_hosts_units_of_one_name_are_both_read() -> None:
    first, second = unit(GOOD + "Restart=always\n"), unit(GOOD + "Restart=allways\n")
    told = systemd.parse([first, second])
    assert told[first] == []
    assert "allways" in told[second][0]
