"""The two ingress hosts do not see each other any more, and everybody else sees both."""

from hostmuster.drills.drill import Drill
from hostmuster.drills.expectations import one_owner_only, owners_told
from hostmuster.drills.faults.cut import APART

DRILL = Drill(
    name="split-brain",
    text="The ingress hosts do not see each other: each may own the virtual IP, clients are served, and one gives way.",
    requirement="H22",
    tier="process",
    role="ingress",
    faults=(APART,),
    item="virtual_ip",
    owner=True,
    during=(owners_told(),),
    after=(one_owner_only(),),
)
