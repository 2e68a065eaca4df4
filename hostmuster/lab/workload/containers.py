"""Tasks as containers of the host's Docker (H2), asked through its socket: nothing is started to ask, or to wait.

A container has its task's id in its name and as a label, so that one which nobody waits for any more is found.
"""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

SOCKET = "/run/docker.sock"
LABEL = "workload.task"
ANSWER_S = 10.0
_WORK = 'sleep "$0" && echo "task $1 was done" >/work/result'


class EngineDown(Exception):
    """The engine does not answer, or refuses."""


class _Connection(http.client.HTTPConnection):
    """To the engine's socket."""

    def __init__(self, timeout: float | None) -> None:
        super().__init__("docker", timeout=timeout)

    def connect(self) -> None:
        """Instead of an address, the path."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(SOCKET)


@dataclass(frozen=True)
class Containers:
    """`image`: what tasks run in."""

    image: str

    def answers(self) -> bool:
        """Whether a task could be started now."""
        try:
            _ask("GET", "/_ping", timeout=2.0)
        except EngineDown:
            return False
        return True

    def run(self, task: str, seconds: float, worktree: Path) -> bool:
        """Start it and wait for its end: whether it did its work. Raises EngineDown."""
        body = {
            "Image": self.image,
            "Cmd": ["sh", "-c", _WORK, f"{seconds:g}", task],
            "Labels": {LABEL: task},
            "HostConfig": {"NetworkMode": "none", "Binds": [f"{worktree}:/work"]},
        }
        name = f"task-{task}"
        _ask("POST", f"/containers/create?name={name}", body)
        try:
            _ask("POST", f"/containers/{name}/start")
            ended = json.loads(_ask("POST", f"/containers/{name}/wait", timeout=None))
        finally:
            self.remove(task)
        return bool(ended["StatusCode"] == 0)

    def remove(self, task: str) -> None:
        """End it where it runs, and leave nothing of it. Raises EngineDown."""
        _ask("DELETE", f"/containers/task-{task}?force=1", allowed=(404, 409))  # gone, or just going

    def remove_others(self, mine: Collection[str]) -> None:
        """Those of tasks that nobody runs here, as of a worker that was killed. Raises EngineDown."""
        filters = quote(json.dumps({"label": [LABEL]}))
        for one in json.loads(_ask("GET", f"/containers/json?all=1&filters={filters}")):
            if one["Labels"][LABEL] not in mine:
                self.remove(one["Labels"][LABEL])


def _ask(
    method: str,
    path: str,
    body: object = None,
    timeout: float | None = ANSWER_S,
    allowed: Collection[int] = (),
) -> bytes:
    connection = _Connection(timeout)
    try:
        text = None if body is None else json.dumps(body)
        connection.request(method, path, text, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        told = answer.read()
    except (OSError, http.client.HTTPException) as error:
        raise EngineDown(f"the engine does not answer: {type(error).__name__}") from error
    finally:
        connection.close()
    if answer.status >= 400 and answer.status not in allowed:
        raise EngineDown(f"the engine refuses: {answer.status} {told[:200].decode(errors='replace').strip()}")
    return told
