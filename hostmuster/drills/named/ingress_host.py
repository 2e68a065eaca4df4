"""The ingress host that owns the virtual IP loses its power."""

from hostmuster.drills.drill import Drill
from hostmuster.drills.expectations import one_owner_only
from hostmuster.drills.faults.power import LOSS

DRILL = Drill(
    name="ingress-host",
    text="The ingress host that owns the virtual IP loses its power: the other one has it at once, and keeps it.",
    requirement="H14 H20 R11",
    tier="ingress",
    role="ingress",
    faults=(LOSS,),
    item="virtual_ip",
    owner=True,
    during=(one_owner_only(),),
    after=(one_owner_only(),),
)
