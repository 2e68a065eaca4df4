"""The page of a drill: self-contained, no script, readable on a phone; what happened is seen at a glance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from hostmuster.drills.drill import Drill
from hostmuster.drills.evidence import Evidence, Happened
from hostmuster.drills.judging import broken
from hostmuster.drills.timeline import WIDE, Timeline
from hostmuster.report import page
from hostmuster.report.view import SIGNS

WORDS = {"passed": "passed", "refuted": "refuted", "failed": "failed", "not_run": "not run"}
VERDICT_SIGNS = {verdict: SIGNS[status] for verdict, status in page.VERDICTS.items()}
KEY = {
    "good": "good, or ready",
    "elsewhere": "failed there, answered by another server",
    "bad": "failed, or not ready",
    "fault": "from a fault to its undoing",
    "depth": "tasks",
    "owner-1": "first owner",
    "owner-2": "another owner",
}


@dataclass(frozen=True)
class Figure:
    """A number that the reader looks for first. `over`: more than was promised."""

    name: str
    value: float | int | None
    unit: str
    limit: str
    over: bool


def render(evidence: Evidence, drill: Drill, fleet: str, timeline: Timeline | None) -> str:
    """The page."""
    style = [page.STYLE, _source("page.css")]
    faults = timeline.faults if timeline else ()
    style += [f".mark-{n} {{ left: {min(box.x / WIDE * 100, 97):.2f}%; }}" for n, box in enumerate(faults, 1)]
    used = {box.word for track in timeline.tracks for box in track.boxes} | {"fault"} if timeline else set()
    return page.html(
        _source("page.html.j2"),
        "\n".join(style),
        evidence=evidence,
        text=drill.text,
        fleet=fleet,
        words=WORDS,
        signs=VERDICT_SIGNS,
        statuses=page.VERDICTS,
        broken=list(broken(evidence)),
        figures=list(_figures(evidence)),
        timeline=timeline,
        axis=[f"{share * timeline.span.seconds / 4:.0f}" for share in range(5)] if timeline else [],
        key=[(word, says) for word, says in KEY.items() if word in used],
        moments=[_moment(one, timeline) for one in evidence.fault],
    )


def _figures(evidence: Evidence) -> Iterator[Figure]:
    have, want = evidence.measured, evidence.targets
    within = f"± {have.sampling_s:g} s" if have.sampling_s is not None else ""
    yield _figure("outage", have.outage_s, " s", want.outage_s, within)
    for method in have.failed or {"GET": 0}:
        yield _figure(f"failed {method}", have.failed.get(method), "", want.failed.get(method))
    yield _figure("acknowledged", have.acknowledged, "", None)
    yield _figure("lost", have.lost, "", want.lost)
    yield _figure("duplicated", have.duplicated, "", want.duplicated)
    backs = [one.back_s for one in evidence.fault if one.back_s is not None]
    yield _figure("whole again after", round(max(backs), 1) if backs else None, " s", want.back_s)


def _figure(name: str, value: float | None, unit: str, most: float | None, more: str = "") -> Figure:
    limit = f"at most {most:g}{unit}" if most is not None else "counted"
    over = value is not None and most is not None and value > most
    shown = value if value is None or isinstance(value, int) else round(value, 2)
    return Figure(name, shown, unit, ", ".join(filter(None, (limit, more))), over)


def _moment(one: Happened, timeline: Timeline | None) -> str:
    began = timeline.span.began if timeline else one.at
    undone = f", undone at {one.undone - began:.1f} s" if one.undone is not None else ""
    back = f"; whole again {one.back_s:.1f} s after it began" if one.back_s is not None else ""
    return f"At {one.at - began:.1f} s{undone}{back}."


def _source(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


def write(folder: Path, evidence: Evidence, drill: Drill, fleet: str, timeline: Timeline | None) -> None:
    """report.html in the drill's folder."""
    page.write(folder / "report.html", render(evidence, drill, fleet, timeline))
