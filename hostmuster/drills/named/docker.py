"""The Docker daemon of a worker stops."""

from hostmuster.drills.drill import Drill
from hostmuster.drills.expectations import named_by_monitor
from hostmuster.drills.faults.unit import stop

DRILL = Drill(
    name="docker",
    text="A worker's Docker daemon stops: the host names it, and its containers run again once it is back.",
    requirement="H20",
    tier="host",
    role="worker",
    faults=(stop("docker.service", "docker.socket"),),
    item="containers",
    during=(named_by_monitor("container"),),
)
