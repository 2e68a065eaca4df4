"""A kind of resource of the project's own that raises fails its item on that host, and nothing else."""

from __future__ import annotations

from collections import defaultdict
from typing import cast

import pytest

from hostmuster.engine.catalogue import Compiled
from hostmuster.engine.observation import Survey
from hostmuster.engine.outcome import HostOutcome
from hostmuster.engine.plan import plan_host
from hostmuster.item import Answer, Item
from hostmuster.onhost.answers import Answers
from hostmuster.resources.file import File
from tests.unit.engine.written import ITEM, Written

KIND = """
from hostmuster.resources.resource import Difference, Probe, Question

PROBE = Probe("own", ("true",), lambda output, keys: {split})


class Kind:
    id = claim = "own kind"
    risky = False

    def questions(self):
        {questions}
        yield Question(PROBE, "x")

    def compare(self, seen):
        yield Difference(self.id, "state", str(seen[Question(PROBE, "x")]), {compare})

    def steps(self, seen):
        {steps}
        yield

    def in_service(self, seen):
        return {in_service}
"""
SOUND = {"split": "{}", "questions": "pass", "compare": "'y'", "steps": "return", "in_service": "False"}


def of_own_kind(written: Written, **broken: str) -> int:
    """An item that serves, with one resource of the project's own kind. The line that the word PATH stands for."""
    kind = KIND.format(**{**SOUND, **broken})
    text = ITEM.format(resources="yield Kind(); return", effects="return ()").replace('"own")', '"own", serves=True)')
    text = text.replace("\n\nITEM =", f"\n{kind}\n\nITEM =")
    written.item.write_text(text)
    (value,) = broken.values()
    return next(number for number, line in enumerate(text.splitlines(), 1) if value in line)


def test_a_kind_whose_questions_raise_is_refused_before_any_host_is_asked(written: Written) -> None:
    line = of_own_kind(written, questions="1 / 0")
    told = written.refused("a")
    assert told.startswith(f"a, own: ZeroDivisionError: division by zero ({written.item}:{line})")


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (
            {"compare": "[][3]"},
            "IndexError: list index out of range (PATH): correct that kind of resource, or the item own",
        ),
        ({"steps": "exit(7)"}, "SystemExit: 7 (PATH): correct that kind of resource, or the item own"),
        ({"steps": "yield 5"}, "TypeError: its steps give 5 ("),
        ({"compare": "'y'); yield str(seen.now"}, "TypeError: its compare gives '"),
        ({"in_service": "1 / 0"}, "ZeroDivisionError: division by zero (PATH): correct that kind of resource, or"),
        ({"split": "{}['x']"}, "KeyError: 'x' (PATH): correct what splits the answers of the probe own"),
    ],
)
def test_a_kind_that_raises_fails_its_item_alone(written: Written, broken: dict[str, str], says: str) -> None:
    line = of_own_kind(written, **broken)
    host, part = written.compiled()
    whole = Compiled(Item("whole"), "", (File("/etc/whole", b"x"),), ())
    survey = Survey(host, (part, whole))
    seen = survey.read(cast("Answers", defaultdict(lambda: Answer(0, ""))))
    plan = plan_host("a", [part, whole], seen, 1, frozenset({"own", "whole"}), written.root)
    outcome = HostOutcome("a")
    outcome.compare(plan)
    assert (outcome.items["own"].status, outcome.items["whole"].status, outcome.exit) == ("failed", "differs", 1)
    reason = outcome.items["own"].reason or ""
    assert reason.startswith(says.replace("PATH", f"{written.item}:{line}"))
    assert [one.item for one in plan.changes] == ["own", "whole"], "apply comes to it, and no further on this host"
    assert plan.changes[0].blocked == (reason,)
