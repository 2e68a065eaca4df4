"""What the fleet file says of the database: which level of H15, where, and who may come in."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from hostmuster.model.address import HostAddress
from hostmuster.model.types import Port, RoleName, wrong

_NAME = re.compile(r"[a-z_][a-z0-9_]{0,30}")


def _sql_name(value: str) -> str:
    if not _NAME.fullmatch(value) or value in ("postgres", "template0", "template1", "public"):
        raise wrong(f"`{value[:40]}` is no name for a database here", "a-z, 0-9 and _, and none of PostgreSQL's own")
    return value


SqlName = Annotated[str, AfterValidator(_sql_name), Field(examples=["service"])]


class Database(BaseModel):
    """`level`: `external` is somebody else's, only asked; `single` is one server on the host of `role`.

    `name`: of the database and of the role that owns it. `clients`: the roles whose hosts may come in.
    `max_connections`: of the server; each replica of the workload keeps up to eight. `deadline_s`: how long hosts
    wait for it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    level: Literal["external", "single"] = "single"
    name: SqlName = "service"
    port: Port = 5432
    address: HostAddress | None = None
    role: RoleName = "database"
    clients: tuple[RoleName, ...] = Field(default=("server", "worker"), min_length=1)
    max_connections: int = Field(default=100, ge=10, le=5000)
    deadline_s: float = Field(default=120, gt=0)

    @model_validator(mode="after")
    def _is_somewhere(self) -> Database:
        if (self.level == "external") != (self.address is not None):
            remedy = "give `address` for an external one, and for no other: the others are on hosts of the fleet"
            raise wrong(f"the level {self.level} {'without' if self.address is None else 'with'} an address", remedy)
        return self
