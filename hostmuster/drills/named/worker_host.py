"""A worker loses its power; the other one works on."""

from hostmuster.drills.drill import Drill, Promise
from hostmuster.drills.faults.power import LOSS
from hostmuster.drills.queue import claims_again, others_work, runs_nothing

DRILL = Drill(
    name="worker-host",
    text="A worker loses its power: what it ran ends as interrupted, the other claims what is new, and it comes back.",
    requirement="H12 H20 R11",
    tier="host",
    role="worker",
    faults=(LOSS,),
    promise=Promise(failed={"GET": 0, "POST": 0}),
    during=(runs_nothing(), others_work()),
    after=(claims_again(),),
)
