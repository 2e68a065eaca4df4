"""The host that holds a task's worktree, asked over the hosts' own trust (H9): the same answer wherever it is asked."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass

from . import worktree

SSH = ("/usr/bin/ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=3", "-o", "ServerAliveInterval=1",
       "-o", "ServerAliveCountMax=3", "--")  # fmt: skip
COMMAND = "/usr/bin/python3 -I -B /opt/workload worktree {}"
LONGEST_S = 10.0


class Down(Exception):
    """The holder does not answer."""


@dataclass(frozen=True)
class Holder:
    """A host, as the host `here` sees it."""

    host: str
    here: str

    def told(self, task: str) -> Mapping[str, object]:
        """What is in the task's worktree. Raises Down, or Missing where the holder has lost it."""
        if self.host == self.here:
            return worktree.told(task)
        try:
            done = subprocess.run(
                [*SSH, self.host, COMMAND.format(task)],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=LONGEST_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise Down(f"holder {self.host} is down") from None
        if done.returncode == worktree.EX_NOINPUT:
            raise worktree.Missing(f"no worktree of task {task} is on {self.host}")
        if done.returncode != 0:  # 255: ssh itself, which is all that tells a host without power or network
            raise Down(f"holder {self.host} is down")
        answer: Mapping[str, object] = json.loads(done.stdout)
        return answer
