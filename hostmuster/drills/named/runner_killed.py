"""hostmuster is killed in the middle of a drill, at every step of it."""

from hostmuster.drills.drill import Drill, Promise
from hostmuster.drills.faults.cut import OFF
from hostmuster.drills.faults.unit import stop_service

DRILL = Drill(
    name="runner-killed",
    text="hostmuster is killed (SIGKILL) at every step of a drill: what it did to a host ends by itself, in time.",
    requirement="R11",
    tier="host",
    role="server",
    faults=(stop_service("server"), OFF),
    promise=Promise(failed={"GET": 0}),
    kills=True,
)
