"""keepalived alone dies on the owner of the virtual IP: the address must not stay on the dead side."""

from hostmuster.drills.drill import Drill
from hostmuster.drills.expectations import one_owner_only
from hostmuster.drills.faults.process import kill_all
from hostmuster.drills.faults.unit import stop

DRILL = Drill(
    name="keepalived",
    text="keepalived alone is killed on the owner of the virtual IP, then stopped: no address is ever on two hosts.",
    requirement="H14 H20 H22",
    tier="process",
    role="ingress",
    faults=(kill_all("keepalived.service"), stop("keepalived.service")),
    item="virtual_ip",
    owner=True,
    during=(one_owner_only(),),
    after=(one_owner_only(),),
)
