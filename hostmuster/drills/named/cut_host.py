"""A server is cut off from all others, and comes back."""

from hostmuster.drills.drill import Drill, Promise
from hostmuster.drills.expectations import others_ready, target_away
from hostmuster.drills.faults.cut import OFF

DRILL = Drill(
    name="cut-host",
    text="A server loses its network but lives on: the other one serves, and both agree once it is back.",
    requirement="H20 H22",
    tier="host",
    role="server",
    faults=(OFF,),
    promise=Promise(failed={"GET": 0}),
    during=(target_away(), others_ready()),
)
