"""How services are stopped for good and started again, step by step on one host."""

from __future__ import annotations

from hostmuster.resources.step import Meet, Run
from hostmuster.secrets.halting import halted, parsed, started


def acts(steps: list[object]) -> list[tuple[str, ...]]:
    return [step.argv[:2] for step in steps if isinstance(step, Run) and step.argv[0] == "systemctl"]


def test_nothing_stops_before_every_host_is_ready_to() -> None:
    first, *rest = halted(["api.service"])
    assert isinstance(first, Meet)
    assert acts(list(rest)) == [("systemctl", "stop"), ("systemctl", "disable")]


def test_a_halt_that_fails_on_its_way_starts_what_it_stopped() -> None:
    undone = [step.undo for step in halted(["api.service"]) if isinstance(step, Run)]
    assert all(undone)
    assert ("systemctl", "start", "--", "api.service") in undone


def test_what_was_halted_is_forgotten_only_when_all_services_of_the_host_run() -> None:
    meet, *ups, last = started(["api.service", "renderer.service"], {})
    assert isinstance(meet, Meet)
    assert [step.argv[-1] for step in ups if isinstance(step, Run)] == ["api.service", "renderer.service"]
    assert isinstance(last, Run)
    assert last.argv[-2:] == ("api.service", "renderer.service")


def test_a_start_that_is_taken_back_after_its_last_step_knows_since_when_each_was_halted() -> None:
    kept = parsed("api.service 1796000000.250000 enabled\nrenderer.service 1796000000.500000 disabled\n")
    *_ups, last = started(["api.service", "renderer.service", "other.service"], kept)
    assert isinstance(last, Run)
    assert last.undo[-4:] == (
        "api.service",
        "1796000000.250000 enabled",
        "renderer.service",
        "1796000000.500000 disabled",
    )
