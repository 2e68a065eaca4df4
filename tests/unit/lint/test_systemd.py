"""Units that systemd would ignore a part of, expand to something else, or not start, are found on this machine."""

from __future__ import annotations

import subprocess

import pytest

from hostmuster.lint import systemd
from hostmuster.lint.linter import Artefact
from hostmuster.lint.timespan import seconds

GOOD = "[Unit]\nWants=network-online.target\nAfter=network-online.target\n[Service]\nExecStart=/opt/only/there\n"


def unit(body: str, name: str = "app.service") -> Artefact:
    """A unit as a host would get it."""
    return Artefact(f"/etc/systemd/system/{name}", body.encode())


def said(body: str) -> str:
    """Everything that is said of a unit."""
    artefact = unit(body)
    return "\n".join([*systemd.parse([artefact])[artefact], *systemd.traps(artefact)])


def test_an_unknown_key_is_refused() -> None:
    assert "Unknown key" in said("[Service]\nExecStart=/bin/true\nExecStrat=/bin/true\n")


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


def test_a_drop_in_is_read_with_a_unit_under_it() -> None:
    path = "/etc/systemd/system/tinyproxy.service.d/hostmuster.conf"
    good, bad = (Artefact(path, f"[Service]\n{line}\n".encode()) for line in ("Restart=always", "Restart=allways"))
    told = systemd.parse([good, bad])
    assert told[good] == []
    assert told[bad] == ["line 2: Failed to parse service restart specifier, ignoring: allways"]


def test_a_time_that_never_comes_is_refused() -> None:
    service = unit("[Service]\nType=oneshot\nExecStart=/bin/true\n", "once.service")
    timer = unit("[Timer]\nOnCalendar=2020-01-01\n", "once.timer")
    assert systemd.parse([service, timer])[timer] == ["OnCalendar=2020-01-01 never comes (again)"]


@pytest.mark.parametrize(
    ("text", "counted"), [("90", 90), ("1min 30s", 90), ("1h30", 3630), ("500ms", 0.5), ("90 secs", None), ("", None)]
)
def test_durations_count_as_systemd_counts_them(text: str, counted: float | None) -> None:
    assert seconds(text) == counted
    done = subprocess.run(["systemd-analyze", "timespan", text], capture_output=True, text=True, check=False)
    assert (done.returncode == 0 and bool(text)) == (counted is not None)
    if counted is not None:
        assert f"μs: {round(counted * 1e6)}\n" in done.stdout


def test_the_users_of_a_unit_are_known_but_for_those_that_systemd_makes() -> None:
    assert systemd.users(b"[Service]\nUser=app\nGroup=web\nSupplementaryGroups=a b\n") == {"app", "web", "a", "b"}
    assert systemd.users(b"[Service]\nDynamicUser=yes\nUser=app\n") == frozenset()
    assert systemd.users(b"[Service]\nUser=%i\nGroup=1000\n") == frozenset()
