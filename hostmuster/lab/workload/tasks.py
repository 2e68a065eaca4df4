"""What a server answers about tasks. It runs none: workers on other hosts do (H12).

`POST /tasks` of `key` and `seconds`: 201 once it is committed, 200 for a key that was there, 429 over the rate;
`GET /tasks`: counts by state; `GET /tasks/ID`; `POST /tasks/ID/worktree`: by the host that holds it; `GET /workers`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from . import acceptance
from .acceptance import Rate
from .database import Unreachable
from .holder import Down, Holder
from .route import Answer, Asked, Routes
from .task_table import Tasks
from .worktree import Missing

LONGEST_KEY = 200
LONGEST_S = 3600.0
_PATH = re.compile(r"/tasks/([0-9]{1,18})(/worktree)?")


@dataclass(frozen=True)
class TaskAnswers:
    """`host`: the one that this server runs on. `well`: whether the database answers, by what is known without asking:
    where it does not, nobody is kept waiting for it."""

    tasks: Tasks
    rate: Rate | None
    host: str
    well: Callable[[], bool]

    @property
    def routes(self) -> Routes:
        """By path."""
        return {
            "/tasks": self._reached(self._all),
            "/tasks/": self._reached(self._one),
            "/workers": self._reached(lambda _: Answer(HTTPStatus.OK, self.tasks.workers())),
        }

    def _reached(self, answer: Callable[[Asked], Answer]) -> Callable[[Asked], Answer]:
        def told(asked: Asked) -> Answer:
            if not self.well():
                return _refused(HTTPStatus.SERVICE_UNAVAILABLE, "the database does not answer")
            try:
                return answer(asked)
            except Unreachable as error:
                return _refused(HTTPStatus.SERVICE_UNAVAILABLE, str(error))

        return told

    def _all(self, asked: Asked) -> Answer:
        if asked.method != "POST":
            return Answer(HTTPStatus.OK, self.tasks.counts())
        given = _task(asked.body)
        if given is None:
            what = f"a JSON object of key (a text, at most {LONGEST_KEY}) and seconds (0 to {LONGEST_S:.0f})"
            return _refused(HTTPStatus.BAD_REQUEST, what)
        client = hashlib.sha256(asked.authorization.encode()).hexdigest() if asked.authorization else "anybody"
        accepted = acceptance.accept(self.tasks.database, self.rate, client, *given)
        if accepted is None:
            return _refused(HTTPStatus.TOO_MANY_REQUESTS, "over the rate")
        return Answer(HTTPStatus.CREATED if accepted.new else HTTPStatus.OK, {"id": accepted.id})

    def _one(self, asked: Asked) -> Answer:
        path = _PATH.fullmatch(asked.path)
        task = self.tasks.find(path[1]) if path else None
        if not path or task is None:
            return _refused(HTTPStatus.NOT_FOUND, "no such task")
        if not path[2]:
            told = {"id": task.id, "state": task.state, "worker": task.worker, "host": task.host}
            return Answer(HTTPStatus.OK, {**told, "effects": task.effects})
        if asked.method != "POST":
            return _refused(HTTPStatus.METHOD_NOT_ALLOWED, "POST alone")
        if task.host is None:
            return _refused(HTTPStatus.CONFLICT, "nobody has claimed it, so it has no worktree")
        try:
            return Answer(HTTPStatus.OK, Holder(task.host, self.host).told(task.id))
        except Down as error:
            return _refused(HTTPStatus.SERVICE_UNAVAILABLE, str(error))
        except Missing as error:
            return _refused(HTTPStatus.GONE, str(error))


def _refused(status: HTTPStatus, why: str) -> Answer:
    return Answer(status, {"error": why})


def _task(body: bytes) -> tuple[str, float] | None:
    try:
        given = json.loads(body)
    except ValueError:
        return None
    if not isinstance(given, dict) or set(given) != {"key", "seconds"}:
        return None
    key, seconds = given["key"], given["seconds"]
    if not isinstance(key, str) or not 0 < len(key) <= LONGEST_KEY or "\0" in key or not _is_text(key):
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds <= LONGEST_S:
        return None
    return key, float(seconds)


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
