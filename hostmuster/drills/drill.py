"""A drill as it is declared: which fault on a host of which role, what must be seen meanwhile, what is promised."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from hostmuster.drills.faults.fault import Fault
from hostmuster.item import Seen

if TYPE_CHECKING:
    from hostmuster.drills.scene import Scene

Tier = Literal["process", "host", "ingress", "control_plane", "database"]


@dataclass(frozen=True)
class Expectation:
    """Something to be seen, asked again until it is or so many seconds have passed. `ok` None: it could not be run."""

    name: str
    look: Callable[[Scene], Seen] = field(repr=False)
    within_s: float = 20.0


@dataclass(frozen=True)
class Promise:
    """What the client may have noticed at most. None: it is counted, and not judged. `failed`: by method.

    Times are those of the drill's tier in the fleet file.
    """

    outage: bool = True
    back: bool = True
    failed: Mapping[str, int] = field(default_factory=dict)
    lost: int | None = 0
    duplicated: int | None = 0


@dataclass(frozen=True)
class Drill:
    """One drill. Its faults are caused one after the other, each taken back before the next.

    `role`: of its target, the first host of that role unless one is named. `redundancy`: hosts of the role that there
    must be; with one only, the service would be gone as long as the fault lasts. `item`: a line of the checklist that
    the target must have. `during`: seen while a fault lasts; `after`: once it was taken back. `destroys`: a fault of it
    may cost data. `kills`: hostmuster itself is killed at every step of each fault. `owner`:
    its target is the host that owns the virtual IP, unless one is named.
    """

    name: str
    text: str
    requirement: str
    tier: Tier
    role: str
    faults: tuple[Fault, ...]
    redundancy: int = 2
    item: str = ""
    promise: Promise = Promise()
    during: tuple[Expectation, ...] = ()
    after: tuple[Expectation, ...] = ()
    destroys: bool = True
    kills: bool = False
    owner: bool = False
