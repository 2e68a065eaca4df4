"""The table of K1 by what hosts hold: which generation each has, and whether what runs was started with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hostmuster.errors import Problem
from hostmuster.secrets.generation import Generation, Held
from hostmuster.secrets.issuer import Served
from hostmuster.secrets.preflight.finding import Finding, missing
from hostmuster.secrets.preflight.process import Process

LEFT_OUT = "left out by --limit"
ROLLOUT = "hostmuster secrets.rollout brings all hosts to one state"


@dataclass(frozen=True)
class Looked:
    """What one host said. `lost`: why it said nothing. `files`: digests by path in its generation."""

    host: str
    lost: str = ""
    held: Held | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    processes: Mapping[str, Process] = field(default_factory=dict)
    served: Mapping[str, Served] = field(default_factory=dict)
    """By ring, what a process that signs with it was seen to do."""


@dataclass(frozen=True)
class Wanted:
    """What the store says hosts are to have; it may be ahead of them. `digest`: as hosts digest a value in this run."""

    generation: Generation | None
    given: Mapping[str, bytes]
    """By reference, what a reader gets for it."""
    digest: Callable[[bytes], str]

    def of(self, held: Held | None, reference: str) -> str | None:
        """The digest of what a unit with that generation is to have; None where the store has moved on since."""
        if held is None or self.generation is None or held.identity != self.generation.identity:
            return None
        return self.digest(self.given[reference])


def holdings(
    service: str, units: Mapping[str, Sequence[str]], seen: Mapping[str, Looked], wanted: Wanted
) -> Iterator[Finding]:
    """Each host of a service: reached, with the generation that the others have, and its units started since
    what they read changed."""
    reading = {host for host in units if wanted.generation and wanted.generation.files.get(host)}
    most = _most([held for host in units if host in reading and (held := seen[host].held)])
    for host, mine in units.items():
        looked = seen[host]
        if looked.lost == LEFT_OUT:
            yield Finding("replicas", service, LEFT_OUT, looked_at=False, host=host)
            continue
        if looked.lost:
            problem = Problem(host, f"it was not looked at: {looked.lost}", "bring it back, or take it out: offboard")
            yield missing("replicas", service, host, problem)
            continue
        if host in reading and (what := _unlike(looked, most, wanted)):
            yield missing("replicas", service, host, Problem(host, what, ROLLOUT))
        for unit in mine:
            yield from _started(service, looked, unit)


def _most(known: Sequence[Held]) -> Held | None:
    """What most hosts have; of as many, the newer."""
    counts = Counter(one.identity for one in known)
    return max(known, key=lambda one: (counts[one.identity], one.number), default=None)


def _unlike(looked: Looked, most: Held | None, wanted: Wanted) -> str | None:
    held = looked.held
    if held is None or most is None:
        return "it has no generation of secrets"
    if held.identity != most.identity:
        return f"it has another generation ({held.number}) than most ({most.number})"
    if wanted.generation is None or held.identity != wanted.generation.identity:
        return None
    files = wanted.generation.files[looked.host]
    wrong = sorted(path for path, content in files.items() if looked.files.get(path) != wanted.digest(content))
    return f"its generation is not what it says it is: {', '.join(wrong)}" if wrong else None


def _started(service: str, looked: Looked, unit: str) -> Iterator[Finding]:
    process, host = looked.processes[unit], looked.host
    if not process.running:
        what = f"{unit} is {process.state}"
        if process.state in ("failed", "activating"):
            problem = Problem(host, what, f"journalctl -u {unit} there says why; it does not start without all of K1")
            yield missing("replicas", service, host, problem)
        else:
            yield Finding(
                "replicas", service, f"{what}: what it would run with is not seen", looked_at=False, host=host
            )
    elif process.current is False:
        number = looked.held.number if looked.held else "?"
        what, remedy = (
            f"{unit} was started before generation {number} came",
            "hostmuster apply pays the restart it is owed",
        )
        yield missing("replicas", service, host, Problem(host, what, remedy))
