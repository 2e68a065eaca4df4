"""A server loses its power; the other one serves."""

from hostmuster.drills.drill import Drill, Promise
from hostmuster.drills.expectations import others_ready, target_away
from hostmuster.drills.faults.power import LOSS

DRILL = Drill(
    name="server-host",
    text="A server loses its power: the other one serves, and nothing that was acknowledged is lost.",
    requirement="H13 H20 R11",
    tier="host",
    role="server",
    faults=(LOSS,),
    promise=Promise(failed={"GET": 0}),
    during=(target_away(), others_ready()),
)
