"""A drill's evidence while it is made: from its first line to its file and its page."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import gevent

from hostmuster import __version__
from hostmuster.drills import evidence as told
from hostmuster.drills import page
from hostmuster.drills.drill import Drill
from hostmuster.drills.evidence import Evidence
from hostmuster.drills.judging import targets
from hostmuster.drills.load import Measured
from hostmuster.drills.scene import Look, Scene
from hostmuster.drills.steady import holders, virtual_ips
from hostmuster.drills.timeline import Timeline, timeline
from hostmuster.engine.opening import Opening
from hostmuster.engine.record import Record
from hostmuster.engine.source import Source


@dataclass
class Sheet:
    """A drill's evidence while it is made. `measured`: what the page draws, once there is any."""

    opening: Opening
    record: Record
    drill: Drill
    evidence: Evidence
    measured: Measured | None = None
    scene: Scene | None = None

    @property
    def folder(self) -> Path:
        """reports/ID."""
        return self.opening.project.reports / self.evidence.id

    def at(self, step: str) -> None:
        """A step is reached; a run that is to be killed here waits for that."""
        self.record.phase(self.evidence.host, "drill", f"{self.drill.name} {step}")
        if self.opening.job.pause == step:
            self.record.phase(self.evidence.host, "paused", step)
            while True:
                gevent.sleep(60)

    def write(self) -> None:
        """Evidence and page, without any known secret: effects show what hosts said."""
        shown = Evidence.model_validate_json(self.record.redacted(self.evidence.model_dump()))
        told.write(self.folder, shown)
        page.write(self.folder, shown, self.drill, self.opening.fleet.name, self._timeline())

    def _timeline(self) -> Timeline | None:
        if self.scene is None:
            return None
        looks, addresses, hosts = self.scene.looks, virtual_ips(self.scene), holders(self.scene)
        owner = partial(Look.owner, hosts=hosts)
        return timeline(self.evidence.fault, self.measured, looks, owner, addresses)


def begun(opening: Opening, drill: Drill, host: str | None) -> Evidence:
    return Evidence(
        id=told.new_id(drill.name, opening.run),
        drill=drill.name,
        requirement=drill.requirement,
        host=host or "",
        config_digest=told.config_digest(opening.project, opening.fleet.name),
        versions={"hostmuster": __version__, "revision": Source(opening.project.root).revision or "none"},
        started=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        targets=targets(drill, opening.fleet.drilling),
    )
