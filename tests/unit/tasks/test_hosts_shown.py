"""Hosts that stand alike are told once, where that is shorter; what they have not alike is told after them."""

from __future__ import annotations

import pytest

from hostmuster.tasks.events import EffectSeen, ItemDone, Json
from hostmuster.tasks.host_lines import host_lines, unlike_lines
from hostmuster.tasks.host_report import HostReport, Unlike, unlikes

ALL = "access, clock, egress, workspace, env_files, apparmor, images, containers, units, firewall, monitor"
ITEMS = ALL.split(", ")


def host(name: str, *differences: str, effects: tuple[EffectSeen, ...] = (), error: str | None = None) -> HostReport:
    """As declared, but for its env_files where there are differences."""
    items = [
        ItemDone(name, item, "differs", differences)
        if differences and item == "env_files"
        else ItemDone(name, item, "ok", effects=effects if item == "clock" else ())
        for item in ITEMS
    ]
    return HostReport(name, error is None, error, tuple(items) if error is None else ())


def lines(*hosts: HostReport, width: int | None = None, every_effect: bool = False) -> list[str]:
    return [text.plain.rstrip() for text in host_lines(hosts, every_effect, width)]


def test_two_hosts_alike_share_a_line() -> None:
    assert lines(host("server-1"), host("worker-1")) == [f"server-1, worker-1  ok       {ALL}"]


def test_a_host_that_stands_otherwise_stays_apart_and_all_names_are_aligned() -> None:
    rest = ALL.replace("env_files, ", "")
    assert lines(host("a"), host("b", "file /etc/x: mode is 0644"), host("c")) == [
        f"a, c  ok       {ALL}",
        f"b     ok       {rest}",
        "      differs  env_files",
        "                 file /etc/x: mode is 0644",
    ]


def test_many_names_stand_above_what_is_said_of_them_and_are_folded_between_two() -> None:
    told = lines(*(host(f"worker-{n}") for n in range(1, 13)), width=80)
    assert told[0] == "worker-1, worker-2, worker-3, worker-4, worker-5, worker-6, worker-7, worker-8,"
    assert told[1] == "worker-9, worker-10, worker-11, worker-12"
    assert told[2].split() == ["ok", *[f"{item}," for item in ITEMS[:-2]], "firewall,"][: len(told[2].split())]
    assert max(map(len, told)) <= 80


def test_two_long_names_are_not_put_together_for_a_line_that_is_saved_nowhere() -> None:
    told = lines(host("server-in-frankfurt-1"), host("server-in-frankfurt-2"))
    assert told == [f"server-in-frankfurt-{n}  ok       {ALL}" for n in (1, 2)]


def test_hosts_of_which_an_effect_was_seen_otherwise_are_not_alike_where_effects_are_told() -> None:
    one = host("a", effects=(EffectSeen("in step", True, "0.1 ms"),))
    two = host("b", effects=(EffectSeen("in step", True, "0.2 ms"),))
    assert len(lines(one, two)) == 1
    assert len(lines(one, two, every_effect=True)) == 8


def test_hosts_that_cannot_be_reached_for_one_reason_are_told_together() -> None:
    told = lines(*(host(f"w-{n}", error=f"w-{n}: no route\nis it up?") for n in (1, 2)))
    assert told == ["w-1, w-2  failed   no route", "                     is it up?"]


@pytest.mark.parametrize("width", [20, 80, 120, None])
@pytest.mark.parametrize("count", [0, 1, 2, 4, 12])
def test_every_host_is_named_once(width: int | None, count: int) -> None:
    hosts = [host(f"worker-{n}", *(["x"] if n % 3 == 0 else [])) for n in range(count)]
    text = " ".join(" ".join(lines(*hosts, width=width)).split())
    assert [text.replace(",", " ").split().count(one.name) for one in hosts] == [1] * count


def test_findings_between_hosts_are_told_by_role() -> None:
    document: dict[str, Json] = {
        "findings": [
            {"role": "worker", "thing": "/opt/x", "text": "worker-2: /opt/x: missing (1 host), others \x1b[2J"},
            {"role": None, "thing": "revision", "text": "revision: a (1: b), c (1: d)"},
        ]
    }
    found = unlikes(document)
    assert found[0] == Unlike("worker", "worker-2: /opt/x: missing (1 host), others \x1b[2J")
    assert [text.plain for text in unlike_lines(found, None)] == [
        "not alike among worker",
        "    worker-2: /opt/x: missing (1 host), others \\x1b[2J",
        "not alike among all hosts",
        "    revision: a (1: b), c (1: d)",
    ]
    assert max(len(text.plain) for text in unlike_lines(found, 40)) <= 40


def test_what_is_said_of_an_item_is_folded_between_words_and_stays_below_it() -> None:
    told = lines(host("a", "file /etc/x: content is another (120 bytes), declared 140 bytes"), width=50)
    assert told[-2:] == [
        "              file /etc/x: content is another (120",
        "                bytes), declared 140 bytes",
    ]
