"""The monitor's own script, run for real by dash in a folder of its own; what only a host has is played by programs."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hostmuster.monitor.script import source

START = 1_900_000_000
_RUN = "\nfolder=$1"
"""Where the script begins to run; before it there are functions only."""

# The script asks for the time in this way only; all else that it asks date(1) is asked for real.
_DATE = '[ "$*" = +%s ] || exec /usr/bin/date "$@"\ncat "$CLOCK"\n'


@dataclass
class Monitored:
    """`how` are lines of `checks`; each run is `interval` seconds after the one before it."""

    folder: Path
    how: list[str] = field(default_factory=list)
    now: int = START
    said: str = ""

    def __post_init__(self) -> None:
        for name in ("etc", "state", "memory", "bin"):
            (self.folder / name).mkdir(parents=True)
        self.program("date", _DATE)

    def program(self, name: str, body: str) -> None:
        """A program that hosts have, played by a shell script."""
        path = self.folder / "bin" / name
        path.write_text(f"#!/bin/sh\n{body}")
        path.chmod(0o755)

    def secret(self, url: str) -> None:
        """The webhook's address, as apply leaves it."""
        (self.folder / "etc" / "url").write_text(url)

    def run(self, *checks: str, after: int = 10, within_s: float = 60) -> Any:
        """One run; gives status.json. What it wrote for the journal is in `said`."""
        self.now += after
        (self.folder / "clock").write_text(f"{self.now}\n")
        general = ["fleet lab", "host a", "service root", "interval 10", "patience 1"]
        (self.folder / "etc" / "checks").write_text("".join(f"{line}\n" for line in (*general, *self.how, *checks)))
        places = (str(self.folder / name) for name in ("etc", "state", "memory"))
        done = self._dash(source(), *places, within_s=within_s)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        self.said = done.stdout
        return json.loads((self.folder / "memory" / "status.json").read_text())

    def check(self, *checks: str, after: int = 10) -> tuple[str, str]:
        """One run with one check: its status and what was seen."""
        (only,) = [one for one in self.run(*checks, after=after)["checks"] if one["name"] != "alerts"]
        return only["status"], only["seen"]

    def piece(self, call: str) -> str:
        """What one function of the script answers, called with nothing run before it."""
        return self._dash(self.script_for(call)).stdout

    def script_for(self, call: str) -> str:
        """The script without its run, and this call instead."""
        return f"{source().partition(_RUN)[0]}\n{call}\n"

    def _dash(self, script: str, *arguments: str, within_s: float = 60) -> subprocess.CompletedProcess[str]:
        path = {"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "CLOCK": str(self.folder / "clock")}
        command = ["dash", "-s", *arguments]
        return subprocess.run(
            command, input=script, env=path, capture_output=True, text=True, timeout=within_s, check=False
        )
