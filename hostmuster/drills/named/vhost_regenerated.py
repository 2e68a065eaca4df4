"""A panel writes its virtual hosts anew, and our locations are gone from them."""

from hostmuster.drills.drill import Drill, Expectation
from hostmuster.drills.expectations import named_by_monitor
from hostmuster.drills.faults.vhost import REGENERATED
from hostmuster.drills.scene import Scene
from hostmuster.item import Seen


def _included_again(scene: Scene) -> Seen:
    """Each virtual host has our line; the guard itself says it, by the file as it lies there."""
    said = scene.ask(scene.ground.target.name, "/etc/hostmuster/panel/guard", "check", "/etc/hostmuster/panel/vhosts")
    return Seen(said.status == 0, said.output.strip() or "in every server block")


DRILL = Drill(
    name="vhost-regenerated",
    text="A panel writes an ingress host's virtual hosts anew: our locations are back, and the host says so.",
    requirement="H14",
    tier="process",
    role="ingress",
    faults=(REGENERATED,),
    item="panel",
    during=(
        Expectation("the panel's files include ours again", _included_again, 10.0),
        named_by_monitor("ready hostmuster-panel.path"),
    ),
    destroys=False,
)
