"""`status` as a person sees it: whoever needs somebody first, each thing that is to be said in one line."""

from __future__ import annotations

from typing import Any

from hostmuster.tasks.standing import is_standing, standing_lines

AT_REST: dict[str, Any] = {"state": "at rest", "holder": None, "owed": [], "revision": 3, "applied": "0c210ac54321+"}
CHECKS: dict[str, Any] = {"age_s": 4, "late": False, "ok": 12, "not_run": 1, "failed": {}}


def host(**changes: Any) -> dict[str, Any]:
    checks = CHECKS | changes.pop("checks", {})
    return AT_REST | {"generation": None, "release": None, "checks": checks} | changes


def shown(hosts: dict[str, Any], width: int | None = None) -> list[str]:
    return [line.plain for line in standing_lines({"hosts": hosts}, width)]


def test_a_silent_host_comes_first_and_one_that_is_well_last() -> None:
    hosts = {
        "well": host(),
        "frozen": host(state="frozen by ada since 2026-01-01 10:00 UTC"),
        "failing": host(checks={"failed": {"disk /": "95% used, limit 90%"}}),
        "late": host(checks={"age_s": 400, "late": True}),
        "gone": {"state": "unreachable", "error": "Could not connect\n(timed out)"},
    }
    assert shown(hosts) == [
        "host     stands       own checks               applied    change   secrets  release",
        "gone     unreachable  -                        -          -        -        -",
        "         Could not connect (timed out)",
        "late     silent       12 ok, 6 min ago         0c210ac5+  at rest  -        -",
        "failing  failing      1 of 13 failed, 4 s ago  0c210ac5+  at rest  -        -",
        "         disk /: 95% used, limit 90%",
        "frozen   frozen       12 ok, 4 s ago           0c210ac5+  frozen   -        -",
        "         frozen by ada since 2026-01-01 10:00 UTC",
        "well     ok           12 ok, 4 s ago           0c210ac5+  at rest  -        -",
    ]


def test_an_open_change_a_lease_and_what_is_owed_are_said() -> None:
    holder = "ada (run 2b, lease for 90 s more)"
    fields = host(state="change open: switched 1f units", holder=holder, owed=["restart a.service"])
    assert shown({"a": fields})[1:] == [
        "a     ok      12 ok, 4 s ago  0c210ac5+  open    -        -",
        "      change open: switched 1f units",
        "      held by ada (run 2b, lease for 90 s more)",
        "      owed: restart a.service",
    ]


def test_a_host_without_a_monitor_says_so_and_is_not_ill() -> None:
    (line,) = shown({"a": AT_REST | {"checks": None, "applied": None}})[1:]
    assert line.split() == ["a", "ok", "-", "-", "at", "rest", "-", "-"]


def test_no_line_is_wider_than_the_terminal() -> None:
    error = "Could not connect: " + "x" * 300
    lines = shown({"a": {"state": "unreachable", "error": error}, "b": host()}, 80)
    assert max(map(len, lines)) == 80
    assert lines[2].endswith("…")


def test_text_of_a_host_steers_no_terminal() -> None:
    lines = shown({"a": host(checks={"failed": {"disk /\x1b[2J": "full"}})})
    assert all("\x1b" not in line for line in lines)


def test_other_documents_are_not_taken_for_it() -> None:
    assert is_standing({"hosts": {"a": host()}})
    assert not is_standing({"hosts": {"a": AT_REST}})
