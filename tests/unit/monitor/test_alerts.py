"""Alerts go out once, whatever the receiver does; their address is seen nowhere."""

from __future__ import annotations

import subprocess
import threading
import time
from itertools import pairwise
from pathlib import Path

import pytest

from tests.receiver import Receiver
from tests.unit.monitor.monitored import Monitored

GOOD, BAD = "command own true", 'command own echo "it" broke; false'
TOKEN = "T0p5ecretT0ken"


@pytest.fixture
def hooked(monitored: Monitored, receiver: Receiver) -> Monitored:
    monitored.how += [f"webhook {receiver.origin}"]
    monitored.secret(f"{receiver.origin}/hook/{TOKEN}?a=1&b=$HOME")
    return monitored


def retry(monitored: Monitored) -> str:
    """What the state says of the last try that failed."""
    return (monitored.folder / "state" / "state").read_text().partition("retry\t")[2].partition("\n")[0]


def test_an_alert_says_what_where_and_since_when(hooked: Monitored, receiver: Receiver) -> None:
    hooked.run(BAD)
    (alert,) = receiver.alerts
    assert alert.pop("key") == alert.pop("id")
    assert alert.pop("via") is None
    assert alert == {
        "event": "broke",
        "fleet": "lab",
        "host": "a",
        "by": "a",
        "check": "command own",
        "at": hooked.now,
        "since": hooked.now,
        "seen": "it broke",
        "text": "lab/a: command own failed: it broke",
    }
    assert receiver.paths == [f"/hook/{TOKEN}?a=1&b=$HOME"]


def test_it_arrives_once_when_it_breaks_and_once_when_it_is_over(hooked: Monitored, receiver: Receiver) -> None:
    for line in (GOOD, BAD, BAD, BAD, GOOD, GOOD):
        hooked.run(line)
    assert receiver.texts() == ["a: command own failed: it broke", "a: command own is well again: succeeds"]
    assert len({alert["id"] for alert in receiver.alerts}) == 2


@pytest.mark.parametrize("trouble", ["down", "500", "404", "302"])
def test_a_receiver_in_trouble_gets_every_alert_later_in_order_and_once(
    hooked: Monitored, receiver: Receiver, trouble: str
) -> None:
    if trouble == "down":
        receiver.down()
    else:
        receiver.status = int(trouble)
    hooked.run(BAD)
    told = hooked.run(GOOD, after=20)
    assert told["alerts_waiting"] == 2
    shown = {one["name"]: one for one in hooked.run(GOOD)["checks"]}["alerts"]
    assert shown["status"] == "failed"
    assert TOKEN not in shown["seen"]
    assert receiver.alerts == []
    receiver.status = 204
    receiver.down()
    receiver.up()
    for _ in range(4):
        hooked.run(GOOD, after=60)
    assert [alert["event"] for alert in receiver.alerts] == ["broke", "recovered"]
    assert hooked.run(GOOD)["alerts_waiting"] == 0


def test_tries_are_further_and_further_apart_but_never_over_ten_minutes(hooked: Monitored, receiver: Receiver) -> None:
    receiver.down()
    hooked.how += ["interval 100"]
    hooked.run(BAD)
    tries = [hooked.now]
    while len(tries) < 5:
        before = retry(hooked)
        hooked.run(BAD, after=100)
        if retry(hooked) != before:
            tries.append(hooked.now)
    assert [later - sooner for sooner, later in pairwise(tries)] == [200, 400, 600, 600]


def test_a_run_that_is_killed_while_it_sends_tells_the_same_again_and_the_id_says_so(
    hooked: Monitored, receiver: Receiver
) -> None:
    receiver.hold_s = 6
    with pytest.raises(subprocess.TimeoutExpired):
        hooked.run(BAD, within_s=3)
    receiver.hold_s = 0
    hooked.run(BAD)
    hooked.run(BAD)
    receiver.wait_for(2)
    assert [alert["event"] for alert in receiver.alerts] == ["broke", "broke"]
    assert len({alert["id"] for alert in receiver.alerts}) == 1


def test_the_address_is_in_no_command_line_environment_or_message(hooked: Monitored, receiver: Receiver) -> None:
    receiver.hold_s = 1.5
    seen: set[str] = set()
    looked_at: set[str] = set()
    ended = threading.Event()

    def look() -> None:
        while not ended.is_set():
            for process in Path("/proc").glob("[0-9]*"):
                for name in ("cmdline", "environ"):
                    try:
                        text = (process / name).read_bytes()
                    except OSError:
                        continue
                    if name == "cmdline" and text.startswith(b"curl\0-q\0-K"):
                        looked_at.add("curl")
                    if TOKEN.encode() in text:
                        seen.add(f"{name}: {text[:80]!r}")
            time.sleep(0.02)

    watching = threading.Thread(target=look)
    watching.start()
    hooked.run(BAD)
    receiver.status = 500
    receiver.hold_s = 0
    hooked.run(GOOD)
    said = hooked.said
    ended.set()
    watching.join()
    assert looked_at == {"curl"}
    assert seen == set()
    assert len(receiver.alerts) == 1
    assert TOKEN not in said
    for path in (*(hooked.folder / "state").iterdir(), *(hooked.folder / "memory").iterdir()):
        assert TOKEN.encode() not in path.read_bytes(), path


@pytest.mark.parametrize(
    "address",
    [
        "https://elsewhere.example.net/hook",
        "http://127.0.0.1:9@elsewhere/x",
        'ORIGIN/x"\noutput = "/tmp/hostmuster-written',
        'ORIGIN/x" -o /tmp/y',
        "ORIGIN.evil.example/x",
        "",
    ],
)
def test_an_address_that_lies_elsewhere_or_bends_curls_grammar_is_not_used(
    hooked: Monitored, receiver: Receiver, address: str
) -> None:
    hooked.secret(address.replace("ORIGIN", receiver.origin))
    hooked.run(BAD)
    shown = {one["name"]: one for one in hooked.run(BAD, after=60)["checks"]}["alerts"]
    assert shown["status"] == "failed"
    assert "the webhook's address" in shown["seen"] or receiver.paths == ["/x"]
    assert not Path("/tmp/hostmuster-written").exists()


def test_a_proxy_is_asked_where_one_leads_there(hooked: Monitored, receiver: Receiver) -> None:
    with Receiver("127.0.0.1") as proxy:
        hooked.how[-1] = f"webhook http://hooks.example.net {proxy.origin}"
        hooked.secret(f"http://hooks.example.net/hook/{TOKEN}")
        hooked.run(BAD)
        assert proxy.paths == [f"http://hooks.example.net/hook/{TOKEN}"]
    assert receiver.alerts == []
