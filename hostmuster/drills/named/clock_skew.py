"""A worker's clock is some seconds off."""

from hostmuster.drills.drill import Drill
from hostmuster.drills.expectations import named_by_monitor
from hostmuster.drills.faults.clock import SKEW_BY_SECONDS

DRILL = Drill(
    name="clock-skew",
    text="A host's clock is some seconds off: the host itself names it, and follows its server again afterwards.",
    requirement="H8",
    tier="host",
    role="worker",
    faults=(SKEW_BY_SECONDS,),
    item="clock",
    redundancy=1,
    during=(named_by_monitor("clock", 60.0),),
    destroys=False,
)
