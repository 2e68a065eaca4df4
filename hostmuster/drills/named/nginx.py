"""nginx dies on the host that owns the virtual IP, and then stays away."""

from hostmuster.drills.drill import Drill
from hostmuster.drills.expectations import one_owner_only
from hostmuster.drills.faults.process import kill_all
from hostmuster.drills.faults.unit import stop

DRILL = Drill(
    name="nginx",
    text="nginx is killed on the owner of the virtual IP, then stopped: it comes back, then the other host takes over.",
    requirement="H14 H20",
    tier="process",
    role="ingress",
    faults=(kill_all("nginx.service"), stop("nginx.service")),
    item="load_balancer",
    owner=True,
    during=(one_owner_only(),),
    after=(one_owner_only(),),
)
