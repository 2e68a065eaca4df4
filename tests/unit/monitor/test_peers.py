"""A ring of hosts: each watches the next, speaks for it when it is silent, and for the one behind that if need be."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.receiver import Receiver
from tests.unit.monitor.monitored import Monitored

# As the last argument but one it is given the host's name; a file by that name holds what the host says.
_SSH = 'for word; do name=$last last=$word; done\necho "$name" >>"$CLOCK.asked"\n' + (
    '[ -f "$CLOCK.$name" ] || { echo "ssh: connect to host $name port 22: No route to host\r" >&2; exit 255; }\n'
    'cat "$CLOCK.$name"\n'
)


@dataclass
class Neighbour:
    """What a living host tells of itself. `ahead_s` is its clock's; `stuck`: its checks do not run."""

    ahead_s: int = 0
    frozen: bool = False
    speaks_for: str = ""
    stuck: bool = False
    run: int = 0
    ran_at: int = 0

    def says(self, name: str, now: int) -> str:
        """date(1) and status.json."""
        if not self.stuck:
            self.run, self.ran_at = self.run + 1, now + self.ahead_s
        head = {"version": 1, "fleet": "lab", "host": name, "at": self.ran_at, "run": self.run, "frozen": self.frozen}
        told = f'{{"name":"peer {self.speaks_for}","status":"failed","told":true,' if self.speaks_for else ""
        return f"{now + self.ahead_s}\n{json.dumps(head, separators=(',', ':'))}\n{told}\n"


class Ring:
    """Host a of the ring a, b, c, d. The others answer as long as they are among `alive`."""

    def __init__(self, monitored: Monitored, receiver: Receiver) -> None:
        self.monitored, self.receiver = monitored, receiver
        self.alive: dict[str, Neighbour] = {}
        monitored.program("ssh", _SSH)
        monitored.how += [f"webhook {receiver.origin}", "peers 30 60 2", "before d", "peer b", "peer c", "peer d"]
        monitored.secret(receiver.origin)

    def run(self, times: int = 1, after: int = 30) -> dict[str, Any]:
        """Runs in which neighbours are asked; the last one's checks of them, by name."""
        checks = []
        for _ in range(times):
            for name in "bcd":
                self._file(name).unlink(missing_ok=True)
            for name, host in self.alive.items():
                self._file(name).write_text(host.says(name, self.monitored.now + after))
            checks = self.monitored.run(after=after)["checks"]
        return {one["name"]: one for one in checks if one["name"] != "alerts"}

    def asked(self) -> list[str]:
        """Whom the runs asked since this was called before."""
        path = Path(f"{self.monitored.folder}/clock.asked")
        names = path.read_text().split() if path.exists() else []
        path.unlink(missing_ok=True)
        return names

    def texts(self) -> list[str]:
        """What was alerted, without the reasons."""
        return [text.partition(" s: ")[0] for text in self.receiver.texts()]

    def _file(self, name: str) -> Path:
        return self.monitored.folder / f"clock.{name}"


@pytest.fixture
def ring(monitored: Monitored, receiver: Receiver) -> Ring:
    """All four were seen once and are well."""
    ring = Ring(monitored, receiver)
    ring.alive = {name: Neighbour() for name in "bcd"}
    ring.run()
    ring.asked()
    return ring


def test_while_the_next_host_answers_nobody_else_is_asked(ring: Ring) -> None:
    assert {name: one["status"] for name, one in ring.run().items()} == {"peer b": "ok"}
    assert ring.asked() == ["b"]


def test_between_two_rounds_nobody_is_asked_and_it_stands_as_it_stood(ring: Ring) -> None:
    assert ring.run(after=10)["peer b"]["seen"] == "answers"
    assert ring.asked() == []


def test_a_silent_host_is_spoken_for_once_and_its_return_is_told(ring: Ring) -> None:
    b = ring.alive.pop("b")
    ring.run(6)
    ring.alive["b"] = b
    ring.run(2)
    assert ring.receiver.texts() == [
        "b: silent for 60 s: connect to host b port 22: No route to host (says a)",
        "b: is back: answers (says a)",
    ]
    assert {alert["host"] for alert in ring.receiver.alerts} == {"b"}


def test_one_lost_answer_is_not_silence(ring: Ring) -> None:
    b = ring.alive.pop("b")
    assert ring.run()["peer b"]["seen"] == "does not answer since 30 s: connect to host b port 22: No route to host"
    ring.alive["b"] = b
    ring.run()
    assert ring.receiver.alerts == []


def test_a_host_whose_checks_do_not_run_is_silent_though_it_answers(ring: Ring) -> None:
    ring.alive["b"].stuck = True
    assert ring.run(2)["peer b"]["seen"] == "silent for 60 s: its checks have not run"


def test_two_in_a_row_are_both_spoken_for_and_the_one_behind_them_is_not(ring: Ring) -> None:
    del ring.alive["b"], ring.alive["c"]
    ring.run(6)
    assert ring.texts() == ["b: silent for 60", "c: silent for 60"]
    assert ring.asked()[-3:] == ["b", "c", "d"]


def test_who_comes_back_beside_one_that_is_still_silent_does_not_say_it_again(ring: Ring) -> None:
    del ring.alive["b"]
    ring.alive["d"].speaks_for = "b"
    assert ring.run(4)["peer b"]["quiet"] == "d speaks for it"
    assert ring.receiver.alerts == []
    ring.alive["d"].speaks_for = ""
    ring.run()
    assert ring.texts() == ["b: silent for 2 min: connect to host b port 22: No route to host (says a)"]


def test_a_watcher_that_was_down_itself_tells_nothing_twice_and_takes_nothing_back(ring: Ring) -> None:
    b = ring.alive.pop("b")
    ring.run(4)
    ring.run(after=7200)
    ring.run(4)
    assert ring.texts() == ["b: silent for 60"]
    ring.alive["b"] = b
    ring.run()
    assert [alert["event"] for alert in ring.receiver.alerts] == ["broke", "recovered"]


def test_a_host_that_was_frozen_may_be_silent(ring: Ring) -> None:
    ring.alive["b"].frozen = True
    ring.run()
    del ring.alive["b"]
    assert ring.run(4)["peer b"]["quiet"] == "it was frozen"
    assert ring.receiver.alerts == []


def test_a_skewed_host_is_named_by_the_watchers_clock(ring: Ring) -> None:
    ring.alive["b"].ahead_s = 5
    assert ring.run()["peer b"]["seen"] == "its clock is 5 s ahead of ours"
    ring.alive["b"].ahead_s = -7
    assert ring.run()["peer b"]["seen"] == "its clock is 7 s behind ours"
    ring.alive["b"].ahead_s = 1
    assert ring.run()["peer b"]["status"] == "ok"


def test_who_was_cut_off_does_not_tell_afterwards_that_all_others_were_silent(ring: Ring) -> None:
    ring.receiver.down()
    alive, ring.alive = ring.alive, {}
    ring.run(6)
    # The network is back a moment before the next try.
    ring.alive = alive
    ring.run()
    ring.receiver.up()
    ring.run(4, after=600)
    assert ring.receiver.alerts == []


def test_a_host_that_is_no_member_yet_is_not_silent_and_the_one_behind_it_is_watched(
    monitored: Monitored, receiver: Receiver
) -> None:
    ring = Ring(monitored, receiver)
    ring.alive = {"c": Neighbour()}
    seen = ring.run(4)
    assert seen["peer b"]["status"] == "not_run"
    assert seen["peer b"]["seen"].startswith("was never seen yet: connect to host b")
    assert seen["peer c"]["status"] == "ok"
    assert receiver.alerts == []
