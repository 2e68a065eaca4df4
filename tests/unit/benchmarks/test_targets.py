"""A figure that falls short of its target is said to; what was not measured is not judged."""

from __future__ import annotations

import pytest

from benchmarks.measuring import Measured
from benchmarks.table import spread
from benchmarks.targets import verdicts

AS_WANTED = {"hostmuster": [1.0], "ssh_floor": [0.5], "ansible": [50.0], "pyinfra": [4.0]}


def measured(noop: dict[str, list[float]], execs: int = 2, rss_mib: float = 100.0) -> Measured:
    return Measured({"hostmuster": [2.0], "ansible": [40.0]}, noop, execs, rss_mib)


def missed(hosts: int, figures: Measured) -> list[str]:
    return [verdict.what for verdict in verdicts({hosts: figures}) if not verdict.met]


def test_figures_just_as_wanted_meet_every_target() -> None:
    assert missed(8, measured(AS_WANTED)) == []


@pytest.mark.parametrize(
    ("tool", "seconds", "what"),
    [
        ("ssh_floor", 0.49, "nothing to change, of the ssh floor"),
        ("ansible", 49.9, "nothing to change, than ansible"),
        ("pyinfra", 3.9, "nothing to change, than pyinfra"),
    ],
)
def test_a_figure_that_falls_short_is_missed(tool: str, seconds: float, what: str) -> None:
    assert missed(8, measured({**AS_WANTED, tool: [seconds]})) == [what]


def test_a_third_exec_and_too_much_memory_are_missed() -> None:
    assert missed(8, measured(AS_WANTED, execs=3)) == ["execs on a host"]
    large = measured({"hostmuster": [1.0], "ssh_floor": [1.0]}, rss_mib=200.0)
    assert missed(100, large) == ["memory of the controller"]


def test_the_median_is_judged_not_the_best_run() -> None:
    assert missed(8, measured({**AS_WANTED, "hostmuster": [0.9, 1.1, 1.1]})) != []


def test_a_tool_that_was_left_out_is_not_judged() -> None:
    alone = Measured({"hostmuster": [2.0]}, {"hostmuster": [1.0], "ssh_floor": [1.0]}, 2, 90.0)
    assert {verdict.what for verdict in verdicts({8: alone})} == {
        "nothing to change, of the ssh floor",
        "execs on a host",
    }


def test_runs_are_told_with_their_spread() -> None:
    assert spread([1.4, 1.2, 1.1]) == "1.20 s (1.10 to 1.40, 3 runs)"
    assert spread([]) == "-"
