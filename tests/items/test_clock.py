"""The clock item: which client, which servers, and what is said of a clock that is off."""

from __future__ import annotations

from pathlib import Path

import pytest

from hostmuster.effects.clock import one_client, synchronised, tracking
from hostmuster.errors import InputError
from hostmuster.item import Answer
from hostmuster.resources.unit import Unit
from tests.items.project import compiled, fleet, resource

CHRONY = "0AD5FA01,10.213.250.1,3,1796047811.5,-0.000004,0.000001,0.00001,-12.3,0.001,0.02,0.0001,0.0002,1.0,Normal\n"
UNSET = "00000000,,0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,1.0,1.0,0.0,Not synchronised\n"
TIMESYNCD = """\
       Server: 10.213.250.1 (10.213.250.1)
Poll interval: 1min 4s (min: 32s; max 34min 8s)
         Leap: normal
      Version: 4
       Offset: -1.234ms
        Delay: 145us
"""


def test_chrony_gets_the_declared_servers_and_prefers_them_to_debians(tmp_path: Path) -> None:
    part = compiled(tmp_path, "clock", {"clock": {"servers": ["192.0.2.1", "ntp.example.net"], "minpoll": 4}})
    assert [one.id for one in part.resources] == [
        "package chrony",
        "file /etc/chrony/conf.d/hostmuster.conf",
        "file /etc/chrony/sources.d/hostmuster.sources",
        "unit chrony.service",
    ]
    assert resource(part, "file /etc/chrony/sources.d/hostmuster.sources").content.decode() == (
        "server 192.0.2.1 iburst prefer minpoll 4 maxpoll 10\n"
        "server ntp.example.net iburst prefer minpoll 4 maxpoll 10\n"
    )


def test_timesyncd_has_no_servers_but_the_declared_ones(tmp_path: Path) -> None:
    part = compiled(tmp_path, "clock", {"clock": {"servers": ["192.0.2.1"], "client": "timesyncd"}})
    body = resource(part, "file /etc/systemd/timesyncd.conf.d/hostmuster.conf").content.decode()
    assert "NTP=192.0.2.1\nFallbackNTP=\n" in body
    assert Unit("systemd-timesyncd.service") in part.resources


def test_a_client_that_was_found_is_left_as_it_is(tmp_path: Path) -> None:
    part = compiled(tmp_path, "clock", {"clock": {"servers": ["192.0.2.1"], "client": "found"}})
    assert part.resources == ()
    assert [effect.name for effect in part.effects] == ["exactly one NTP client", "the clock is synchronised"]


@pytest.mark.parametrize("server", ["ntp.example.net # main", "NTP.example", "10.0.0", "a b", "x\ny", ""])
def test_what_is_no_server_is_refused(tmp_path: Path, server: str) -> None:
    with pytest.raises(InputError) as caught:
        fleet(tmp_path, {"clock": {"servers": [server]}})
    assert "is neither an address nor a name" in str(caught.value)


@pytest.mark.parametrize(
    ("output", "ok", "seen"),
    [
        ("chrony.service\n", True, "chrony alone"),
        ("", False, "none runs"),
        ("chrony.service\nsystemd-timesyncd.service\n", False, "chrony, systemd-timesyncd run at once"),
        ("ntpsec.service\n", False, "ntpsec alone"),
        ("chrony.service\nsession-3.scope\n", False, "chrony, session-3.scope run at once"),
    ],
)
def test_exactly_the_declared_client_may_run(output: str, ok: bool, seen: str) -> None:
    judged = one_client("chrony", 1).judge(Answer(0, output))
    assert (judged.ok, judged.seen) == (ok, seen)


@pytest.mark.parametrize(
    ("output", "ok", "seen"),
    [
        (CHRONY, True, "0.000004 s off 10.213.250.1"),
        (CHRONY.replace("-0.000004", "5.012000"), False, "5.012000 s off 10.213.250.1, bound 0.1 s"),
        (CHRONY.replace("0.000001", "-4.999995"), False, "4.999995 s off 10.213.250.1, bound 0.1 s"),
        (CHRONY.replace("10.213.250.1", "185.2.2.2"), False, "follows 185.2.2.2, which is not declared"),
        (UNSET, False, f"not synchronised: {UNSET.strip()}"),
        ("506 Cannot talk to daemon\n", False, "not synchronised: 506 Cannot talk to daemon"),
        (TIMESYNCD, True, "0.001234 s off 10.213.250.1"),
        ("NTPSynchronized=yes\n", True, "synchronised; its client tells no offset"),
        ("NTPSynchronized=no\n", False, "not synchronised: NTPSynchronized=no"),
    ],
)
def test_a_clock_is_judged_by_its_server_and_offset(output: str, ok: bool, seen: str) -> None:
    judged = synchronised(["10.213.250.1"], 0.1, 1).judge(Answer(0, output))
    assert (judged.ok, judged.seen) == (ok, seen)


def test_timesyncds_server_is_known_by_the_name_it_was_declared_with() -> None:
    assert tracking(TIMESYNCD.replace("(10.213.250.1)", "(ntp.example.net)")).server == "ntp.example.net"


def test_offsets_of_timesyncd_are_read_in_every_unit() -> None:
    for text, seconds in {"+1min 2.5s": 62.5, "-250us": 0.00025, "+2h 1s": 7201.0, "n/a": None}.items():
        assert tracking(TIMESYNCD.replace("-1.234ms", text)).offset_s == seconds
