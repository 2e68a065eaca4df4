"""A server's disk is full to the last block."""

from hostmuster.drills.drill import Drill
from hostmuster.drills.expectations import named_by_monitor
from hostmuster.drills.faults.disk import FULL

DRILL = Drill(
    name="disk-full",
    text="A server's disk is full: the host names it, what was acknowledged is kept, and with room it is whole again.",
    requirement="H20 H17",
    tier="host",
    role="server",
    faults=(FULL,),
    during=(named_by_monitor("disk", 45.0),),
)
