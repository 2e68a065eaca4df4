"""A line of the checklist is ok only when it was tried and held."""

from __future__ import annotations

import pytest

from hostmuster.engine.catalogue import Compiled
from hostmuster.engine.checked import Line
from hostmuster.engine.effects import Judged
from hostmuster.engine.outcome import ItemOutcome, Status
from hostmuster.item import Effect, Item, Seen

PART = Compiled(Item("clock"), "One clock.", (), ())


def proved(status: Status, *held: bool | None, reason: str | None = None) -> ItemOutcome:
    """An item that ended so, with effects that held or not."""
    outcome = ItemOutcome("clock", status, ["it is another"] if status == "differs" else [], reason=reason)
    effects = (Effect(f"effect {n}", ("true",), lambda _: Seen(True, "")) for n, _ in enumerate(held))
    outcome.prove([Judged("clock", e, Seen(ok, f"seen {ok}")) for e, ok in zip(effects, held, strict=True)])
    return outcome


@pytest.mark.parametrize(
    ("outcome", "error", "status", "seen"),
    [
        (proved("changed", True), None, "ok", ("effect 0: seen True",)),
        (proved("ok"), None, "ok", ("as declared",)),
        (proved("changed", True, False), None, "failed", ("effect 1: seen False",)),
        (proved("changed", True, None), None, "not_run", ("effect 0: seen True", "effect 1: seen None")),
        (proved("failed", reason="no room"), "it hangs", "failed", ("no room",)),
        (proved("skipped", reason="access failed before it"), None, "not_run", ("access failed before it",)),
        (proved("changed"), "it hangs", "not_run", ("it hangs",)),
        (proved("differs", True), None, "not_run", ("it is only observed, and differs", "it is another")),
        (None, "no login", "not_run", ("no login",)),
    ],
)
def test_a_line_says_how_the_item_stands(
    outcome: ItemOutcome | None, error: str | None, status: str, seen: tuple[str, ...]
) -> None:
    assert Line.of(PART, outcome, error) == Line("clock", "One clock.", status, seen)  # type: ignore[arg-type]


def test_its_document_has_its_text_and_what_was_seen() -> None:
    line = Line.of(PART, proved("ok", True, None), None)
    assert line.document() == {
        "item": "clock",
        "text": "One clock.",
        "status": "not_run",
        "seen": "effect 0: seen True\neffect 1: seen None",
    }
