"""What a rollout or a rotation did, kept beside its run's journal, however it ended (R12, K8)."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from hostmuster import __version__
from hostmuster.engine.opening import Opening
from hostmuster.engine.record import Record
from hostmuster.engine.source import Source
from hostmuster.errors import HostmusterError, Refused
from hostmuster.report.document import Probed

FILE: Final = "evidence.json"
REQUIREMENTS: Final = {
    "rollout": "K8",
    "rotate": "K4",
    "promote": "K4",
    "retire": "K4",
    "revoke": "K5",
    "migrate": "K6",
    "swap": "K7",
}
_CUT_OFF = "cut off after these steps: the same command, typed again, goes on"
_UNPROBED = "no prober's figures: none was named (--figures)"


def evidenced(opening: Opening, record: Record, what: str, act: Callable[[], dict[str, object]]) -> dict[str, object]:
    """Does it, and writes reports/RUN/evidence.json; the document, with where that is.

    It is written anew after each step of a rotation, for a run that is killed. Nothing is written of what was refused
    before anything was touched.
    """
    began, started, source = time.monotonic(), datetime.now(UTC), Source(opening.project.root)
    bound = {
        "id": opening.run,
        "rotation": what,
        "requirement": REQUIREMENTS[what],
        "fleet": opening.fleet.name,
        "secret": opening.job.secret,
        "started": started.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "config_digest": _digest(opening),
        "versions": {"hostmuster": __version__},
    }

    def keep(told: dict[str, object], why: object) -> None:
        seen, not_run = _probed(opening.job.figures, started.timestamp())
        ended = {"seconds": round(time.monotonic() - began, 3), "steps": record.steps}
        ended["ended"] = [one.document() for one in record.endings]
        late = {"revision": source.revision, "probed": seen and seen.model_dump(), "not_run": not_run}
        verdict = "failed" if why else _verdict(what, seen)
        whole = {**bound, **ended, **record.told, **told, **late, "error": why, "verdict": verdict}
        _write(opening.project.reports / opening.run / FILE, record.redacted(whole))

    record.on_step = lambda: keep({}, _CUT_OFF)
    told: dict[str, object] = {}
    error: BaseException | None = None
    try:
        told = act() | {"seconds": round(time.monotonic() - began, 3)}
    except (HostmusterError, KeyboardInterrupt) as failure:
        error = failure
        raise
    finally:
        if record.steps or not isinstance(error, Refused):
            keep(told, told.get("put_back") if error is None else _said(error))
    return told | {"evidence": str(opening.project.reports / opening.run / FILE)}


def _verdict(what: str, seen: Probed | None) -> str:
    # Of a key that is revoked, and of a credential that is swapped, what was signed has to fail.
    return "refuted" if seen and seen.failed and what not in ("revoke", "swap") else "passed"


def _said(error: BaseException | None) -> str | None:
    return error.what if isinstance(error, HostmusterError) else "interrupted" if error else None


def _digest(opening: Opening) -> str:
    return f"sha256:{hashlib.sha256(opening.project.fleet_file(opening.fleet.name).read_bytes()).hexdigest()}"


def _probed(figures: Path | None, since: float) -> tuple[Probed | None, list[str]]:
    """What a prober that ran beside wrote, and what is missing of it."""
    if figures is None:
        return None, [_UNPROBED]
    try:
        if figures.stat().st_mtime < since:
            return None, [f"no prober's figures: {figures} is from before this run"]
        seen = Probed.model_validate_json(figures.read_bytes())
    except (OSError, ValueError) as error:
        return None, [f"no prober's figures: {figures}: {type(error).__name__}"]
    return seen, []


def _write(path: Path, text: str) -> None:
    """By rename, for its owner alone."""
    new = path.with_name(f".{path.name}")
    path.parent.mkdir(parents=True, exist_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        json.dump(json.loads(text), file, indent=2)
    new.replace(path)
