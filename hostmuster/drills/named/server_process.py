"""The server's process is told to end, is killed, and runs out of memory; its supervisor brings it back each time."""

from hostmuster.drills.drill import Drill, Promise
from hostmuster.drills.faults.memory import starved
from hostmuster.drills.faults.process import signal

DRILL = Drill(
    name="server-process",
    text="A server's process ends, is killed, and runs out of memory; it comes back by itself, and nothing is lost.",
    requirement="H20 R11",
    tier="process",
    role="server",
    faults=(signal("TERM"), signal("KILL"), starved()),
    promise=Promise(failed={"GET": 0}),
)
