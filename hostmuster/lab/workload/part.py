"""What a configured part adds to the plain workload: paths, and what else must be well for it to be ready."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .route import Routes


@dataclass(frozen=True)
class Part:
    """`health`: by the name that `/health/ready` tells, whether it is well; asked at each request: it may not wait."""

    routes: Routes = field(default_factory=dict)
    health: Mapping[str, Callable[[], bool]] = field(default_factory=dict)
