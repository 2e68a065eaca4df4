"""What the fleet file says of the reference workload on a host."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, model_validator

from hostmuster.lab.workload_queue import Queue, Worker
from hostmuster.model.types import Port, UserName, wrong


class Workload(BaseModel):
    """Its settings. `drain_s`: seconds for the requests in work at a stop; `stop_s`: until systemd kills it.

    `user` None: a user that systemd makes for each start; for a queue and its workers the one that hosts reach each
    other as. `token_s`: the life of its tokens. `renderer`: the port of a renderer beside it; none without. `queue`: it
    takes tasks; `worker`: the host runs some; `sweep_s`: within how many seconds those of a lost worker end as
    interrupted.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    port: Port = 8080
    user: UserName | None = None
    drain_s: int = Field(default=30, ge=1, le=3600)
    stop_s: int = Field(default=60, ge=2, le=3700)
    ready_s: int = Field(default=30, ge=1, le=3600)
    token_s: int | None = Field(default=None, ge=1, le=86400)
    renderer: Port | None = None
    queue: Queue | None = None
    worker: Worker | None = None
    sweep_s: int = Field(default=300, ge=3, le=86400)

    @model_validator(mode="after")
    def _stops_after_draining(self) -> Workload:
        if self.stop_s <= self.drain_s:
            what = f"stop_s {self.stop_s} is not above drain_s {self.drain_s}"
            raise wrong(what, "give it time to drain: else it is killed in the middle of a request")
        if self.renderer == self.port:
            raise wrong(f"the renderer's port {self.port} is the workload's", "give it one of its own")
        return self
