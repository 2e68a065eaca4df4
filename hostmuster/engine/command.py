"""One run of the engine: what it begins with, and how every end of it is told: a result, or an error with its code."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import ValidationError

from hostmuster.engine.acts import act
from hostmuster.engine.hidden import hidden, hidden_from_errors
from hostmuster.engine.job import Job
from hostmuster.engine.opening import Opening, open_fleet
from hostmuster.engine.record import Record
from hostmuster.engine.saved_plan import SavedPlan
from hostmuster.errors import HostmusterError, of_file
from hostmuster.looks import LOOKS_AT_HOSTS
from hostmuster.project import Project
from hostmuster.report.journal import Journal
from hostmuster.report.redaction import Redaction
from hostmuster.secrets.value import Secret


def main(text: str) -> int:
    """Runs the job and gives its exit code (CLI.md)."""
    began = time.monotonic()
    record = Record(Redaction(()))
    try:
        opening = _opened(Job.model_validate_json(text), record)
        redaction = Redaction([*hidden(opening.store), *_given(opening.job)])
        with (
            _recorded(opening, record) as recorded,
            Journal(recorded.project.reports, recorded.run, redaction) as journal,
        ):
            return _told(recorded, Record(redaction, journal), began)
    except ValidationError as error:
        record.error(f"the job is not one the engine knows: {error.errors()[0]['msg']}", 3)
        return 3
    except HostmusterError as error:
        record.error(str(error), error.exit_code)
        return error.exit_code
    except OSError as error:
        record.error(str(of_file(error)), 1)
        return 1
    except KeyboardInterrupt:
        record.error("interrupted: what was under way on the hosts came to its end, and nothing more was begun", 1)
        return 1


def _opened(job: Job, record: Record) -> Opening:
    try:
        return open_fleet(_as_planned(job))
    except (HostmusterError, OSError):
        for secret in (*hidden_from_errors(Project(job.project), job.fleet), *_given(job)):
            record.hide(secret)
        raise


def _as_planned(job: Job) -> Job:
    """A saved plan of one item is applied to that item alone."""
    return job if job.plan is None else job.model_copy(update={"item": SavedPlan.load(job.plan, job.fleet).item})


@contextmanager
def _recorded(opening: Opening, record: Record) -> Iterator[Opening]:
    """With a place for the run's record: that of the project, or one that goes with a run which only looks at hosts."""
    reports = opening.project.reports
    there = next(folder for folder in (reports, *reports.parents) if folder.exists())
    if os.access(there, os.W_OK | os.X_OK) or opening.job.command not in LOOKS_AT_HOSTS:
        yield opening
        return
    record.warning(f"nothing of this run is recorded: {reports} cannot be written")
    with TemporaryDirectory(prefix="hostmuster-") as folder:
        yield replace(opening, project=replace(opening.project, recorded=Path(folder)))


def _told(opening: Opening, record: Record, began: float) -> int:
    for text in opening.catalogue.not_run:
        record.warning(text)
    for name, where in opening.fleet.gone.items():
        remedy = f"delete its entry ({where}), or `hostmuster onboard {name}` takes it back"
        record.warning(f"{name} was offboarded and is left out: {remedy}")
    try:
        done, code = act(opening, record, began)
    except HostmusterError as error:
        record.error(str(error), error.exit_code)
        return error.exit_code
    if record.endings:
        done |= {"ended": [one.document() for one in record.endings]}
    record.result(done, code)
    return code


def _given(job: Job) -> list[Secret]:
    return [Secret(one.get_secret_value()) for one in (job.sudo_password, job.value) if one]
