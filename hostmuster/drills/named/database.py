"""The database stops, and returns."""

from hostmuster.drills.drill import Drill, Promise
from hostmuster.drills.expectations import nobody_ready
from hostmuster.drills.faults.unit import stop_service

DRILL = Drill(
    name="database",
    text="The database stops: no server says that it is ready, and once it is back nothing acknowledged is lost.",
    requirement="H13 H15 H20",
    tier="database",
    role="database",
    faults=(stop_service("database"),),
    redundancy=1,
    promise=Promise(),
    during=(nobody_ready(),),
)
