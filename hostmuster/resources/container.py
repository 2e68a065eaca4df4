"""A container as it runs, beside how it was declared: what differs is mended by a restart of its unit, and owed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hostmuster.images.reference import familiar
from hostmuster.images.script import guarded
from hostmuster.resources.image import IMAGES, Known
from hostmuster.resources.resource import Difference, Observation, Probe, Question
from hostmuster.resources.stat import STAT, Stat
from hostmuster.resources.step import Owe, Run, Step

_FIELDS = (
    "{{.State.Running}}", "{{.State.Pid}}", "{{.Image}}", "{{.HostConfig.RestartPolicy.Name}}",
    'spec={{index .Config.Labels "hostmuster.spec"}}',
    '{{range .Mounts}}{{if eq .Type "bind"}} {{.Source}}|{{.Destination}}{{end}}{{end}}',
)  # fmt: skip
# A container sees what lay at a path when it was made: of a directory that was replaced since, the old one.
_ASK = r"""
form=$1
shift
lies() { stat -Lc %d:%i "$1" 2>/dev/null; }
for name; do
    said=$(timeout 10 docker container inspect -f "$form" "$name" 2>/dev/null) || {
        [ $? != 124 ] || exit 0
        continue
    }
    set -f -- $said
    old= running=$1 pid=$2 told="$1 $3 $4 $5"
    shift 5
    [ "$running" != true ] || for mount; do
        [ "$(lies "${mount%|*}")" = "$(lies "/proc/$pid/root${mount#*|}")" ] || old="$old ${mount%|*}"
    done
    echo "$name $told$old"
done"""


def _split(output: str, keys: Sequence[str]) -> Mapping[str, str]:
    lines = (line.partition(" ") for line in output.splitlines())
    return {name: said for name, _, said in lines if name in keys}


CONTAINERS = Probe("containers", ("sh", "-c", guarded(_ASK), "sh", " ".join(_FIELDS)), _split)


@dataclass(frozen=True)
class Running:
    """One container. `old`: what is mounted in it and no longer lies at its path on the host."""

    running: bool
    image: str
    policy: str
    spec: str
    old: tuple[str, ...]

    @classmethod
    def read(cls, said: str | None) -> Running | None:
        """From a line of the probe, its name taken off; None where there is no such container."""
        if not said:
            return None
        running, image, policy, spec, *old = said.split()
        return cls(running == "true", image, policy, spec.removeprefix("spec="), tuple(old))


@dataclass(frozen=True)
class Container:
    """The container `name`, made by `unit` to `spec`, of the image `reference` with the digest `config`.

    Whether it runs at all is its unit's business. While a restart is owed, nothing here differs: what mends it is
    on disk. Source: H2, R5.
    """

    name: str
    unit: str
    spec: str
    reference: str
    config: str
    risky: bool = False

    @property
    def id(self) -> str:
        """`container NAME`."""
        return f"container {self.name}"

    @property
    def claim(self) -> str:
        """The id."""
        return self.id

    def questions(self) -> Iterator[Question]:
        """The container, the image it is to be of, and whether its restart is owed."""
        yield Question(CONTAINERS, self.name)
        yield Question(IMAGES, familiar(self.reference))
        yield Question(STAT, self._owed)

    def compare(self, seen: Observation) -> Iterator[Difference]:
        """Made otherwise, of another image, with a mount that was replaced, or supervised by docker too."""
        now = Running.read(seen[Question(CONTAINERS, self.name)])
        if now is None or not now.running:
            return
        if now.policy != "no":
            yield Difference(self.id, "restart policy", now.policy, "none beside systemd")
        if Stat.of(seen, self._owed) is None:
            yield from self._old(now, seen)

    def steps(self, seen: Observation) -> Iterator[Step]:
        """A restart owed; a restart policy is taken away at once."""
        now = Running.read(seen[Question(CONTAINERS, self.name)])
        if now is None:
            return
        if now.policy != "no":
            update = ("docker", "container", "update", "--restart")
            yield Run((*update, "no", self.name), undo=(*update, now.policy, self.name))
        if Stat.of(seen, self._owed) is None and any(self._old(now, seen)):
            yield Owe(self.unit)

    @property
    def _owed(self) -> str:
        return f"/var/lib/hostmuster/owed/{self.unit}"

    def _old(self, now: Running, seen: Observation) -> Iterator[Difference]:
        image = Known.of(seen, self.reference)
        if now.spec != self.spec:
            yield Difference(self.id, "declaration", "another", "this one")
        elif image is not None and image.config == self.config and image.id != now.image:
            # Not compared while the tag itself is wrong: the container may be right, and the images item mends the tag.
            yield Difference(self.id, "image", now.image, f"{image.id} ({self.reference})")
        for path in now.old:
            yield Difference(self.id, f"mount of {path}", "what lay there before", "what lies there")
