"""What the engine process says while it works: one JSON object a line on its standard output."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

Json = Mapping[str, "Json"] | Sequence["Json"] | str | int | float | bool | None


@dataclass(frozen=True)
class HostPhase:
    """A host reached a phase: connect, observe, change, restart or verify."""

    host: str
    phase: str
    text: str = ""


@dataclass(frozen=True)
class EffectSeen:
    """An effect and what was seen of it; `ok` is None where it could not be run."""

    name: str
    ok: bool | None
    seen: str


@dataclass(frozen=True)
class ItemDone:
    """How an item stands on a host: ok, changed, differs, failed, skipped or not_run."""

    host: str
    item: str
    status: str
    differences: tuple[str, ...] = ()
    effects: tuple[EffectSeen, ...] = ()
    reason: str | None = None
    will: tuple[str, ...] = ()


@dataclass(frozen=True)
class ListLine:
    """A line of the checklist as it now stands: ok, failed or not_run, with what was seen."""

    host: str
    item: str
    text: str
    status: str
    seen: str


@dataclass(frozen=True)
class Warned:
    """Something the operator should know that stops nothing."""

    text: str


@dataclass(frozen=True)
class Failed:
    """The run ended without a result; `exit` is its exit code. `interrupted`: since somebody wanted it to."""

    text: str
    exit: int
    interrupted: bool = False


@dataclass(frozen=True)
class Result:
    """The run's one document (for `--json`) and its exit code."""

    document: Mapping[str, Json]
    exit: int


Event = HostPhase | ItemDone | ListLine | Warned | Failed | Result


def parse(line: str) -> Event | None:
    """The event of a line; None for a line that is none (a library that printed to standard output)."""
    try:
        fields = json.loads(line)
    except ValueError:
        return None
    if not isinstance(fields, dict):
        return None
    match fields:
        case {"event": "host", "host": str(host), "phase": str(phase)}:
            return HostPhase(host, phase, text_of(fields.get("text")) or "")
        case {"event": "item", "host": str(host)}:
            return item_done(host, fields)
        case {"event": "line", "host": str(host), "item": str(item), "text": str(text), "status": str(status)}:
            return ListLine(host, item, text, status, text_of(fields.get("seen")) or "")
        case {"event": "warning", "text": str(text)}:
            return Warned(text)
        case {"event": "error", "text": str(text)}:
            return Failed(text, exit_code(fields.get("exit")))
        case {"event": "result", "document": dict(document)}:
            return Result(document, exit_code(fields.get("exit")))
    return None


def item_done(host: str, fields: Mapping[str, Json], item: str | None = None) -> ItemDone:
    """An item's state from an event, or from its place in the result's document (then `item` names it)."""
    return ItemDone(
        host,
        item or text_of(fields.get("item")) or "?",
        text_of(fields.get("status")) or "?",
        tuple(text_of(difference) or "" for difference in listed(fields.get("differences"))),
        tuple(effect_seen(effect) for effect in listed(fields.get("effects")) if isinstance(effect, Mapping)),
        text_of(fields.get("reason")),
        tuple(text_of(one) or "" for one in listed(fields.get("will"))),
    )


def effect_seen(fields: Mapping[str, Json]) -> EffectSeen:
    """An effect as an event or the document carries it."""
    ok = fields.get("ok")
    return EffectSeen(
        text_of(fields.get("name")) or "?",
        ok if isinstance(ok, bool) else None,
        text_of(fields.get("seen")) or "",
    )


def text_of(value: Json) -> str | None:
    """A value for people: text as it is, anything else as JSON writes it; None stays None."""
    return value if value is None or isinstance(value, str) else json.dumps(value)


def exit_code(value: Json) -> int:
    """The contract's exit codes are 0 to 3; anything else an engine says is a failure (1)."""
    return value if isinstance(value, int) and 0 <= value <= 3 else 1


def listed(value: Json) -> Sequence[Json]:
    """A list as it is, anything else as an empty one."""
    return cast("Sequence[Json]", value) if isinstance(value, list) else ()
