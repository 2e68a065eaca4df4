"""Units that do not serve, and such as are restarted again and again, are named with why."""

from __future__ import annotations

import pytest

from tests.unit.monitor.monitored import Monitored


def unit(active: str, sub: str, *, load: str = "loaded", result: str = "success", restarts: int = 0) -> str:
    """What `systemctl show` says of a unit."""
    return f"LoadState={load}\nActiveState={active}\nSubState={sub}\nResult={result}\nNRestarts={restarts}\n"


UNITS = {
    "runs": (unit("active", "running"), "ok", "is active"),
    "reloads": (unit("reloading", "reload"), "ok", "is active"),
    "stopped": (unit("inactive", "dead"), "failed", "is inactive"),
    "died": (unit("failed", "failed", result="exit-code"), "failed", "is failed (exit-code)"),
    "about to be restarted": (
        unit("activating", "auto-restart", result="signal"),
        "failed",
        "ended (signal) and waits to be restarted",
    ),
    "unknown": (unit("inactive", "dead", load="not-found"), "failed", "is not-found"),
    "no answer": ("", "failed", "systemctl says nothing of it"),
}


@pytest.mark.parametrize("case", UNITS)
def test_a_unit_that_does_not_serve_is_named_with_why(monitored: Monitored, case: str) -> None:
    answer, status, seen = UNITS[case]
    monitored.program("systemctl", f"cat <<'E'\n{answer}E\n")
    assert monitored.check("unit app.service") == (status, seen)


def test_several_units_are_one_question_each_with_its_own_answer(monitored: Monitored) -> None:
    monitored.program("systemctl", f"cat <<'E'\n{unit('active', 'running')}\n{unit('failed', 'failed')}E\n")
    found = {one["name"]: one["status"] for one in monitored.run("unit a.service", "unit b.service")["checks"]}
    assert found == {"unit a.service": "ok", "unit b.service": "failed"}


def test_a_unit_that_is_restarted_again_and_again_is_named_while_it_is_active(monitored: Monitored) -> None:
    seen = []
    for restarts in (7, 8, 10, 10, 10):
        monitored.program("systemctl", f"cat <<'E'\n{unit('active', 'running', restarts=restarts)}E\n")
        seen.append(monitored.check("unit app.service", after=250))
    assert seen == [
        ("ok", "is active"),
        ("ok", "is active"),
        ("failed", "was restarted 3 times within 10 min"),
        ("ok", "is active"),
        ("ok", "is active"),
    ]
