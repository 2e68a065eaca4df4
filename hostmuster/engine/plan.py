"""What must be done: a pure difference between what is declared and what a host answered."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace

from hostmuster.engine.catalogue import Compiled
from hostmuster.resources.resource import Difference, Observation, Serving
from hostmuster.resources.step import Arm, Blocked, Owe, Put, Run, Step


@dataclass(frozen=True)
class ItemPlan:
    """One item on one host: how it differs, and the steps that end it. Without `enforce` it is only looked at (O4)."""

    item: str
    differences: tuple[Difference, ...]
    steps: tuple[Step, ...]
    enforce: bool
    armed: bool
    found: str = ""
    """A digest of what the host answered about the resources that differ: that is overwritten, and nothing newer."""

    @property
    def blocked(self) -> tuple[str, ...]:
        """Why differences cannot be mended by us."""
        return tuple(step.reason for step in self.steps if isinstance(step, Blocked))

    @property
    def changes(self) -> bool:
        """Whether apply has something to do."""
        return bool(self.differences) and self.enforce

    @property
    def will(self) -> tuple[str, ...]:
        """The restarts, reloads and stops it causes, in words (K9, O5)."""
        owed = (f"{step.action} {step.unit}" for step in self.steps if isinstance(step, Owe))
        runs = (_effect(step.argv) for step in self.steps if isinstance(step, Run))
        return tuple(dict.fromkeys([*owed, *filter(None, runs)]))


def _effect(argv: tuple[str, ...]) -> str:
    """What a command does to what runs: a stop, or what a script says of itself by its name, its $0."""
    if argv[:2] == ("systemctl", "stop"):
        return f"stop {argv[-1]}"
    name = argv[3] if argv[:2] == ("sh", "-c") and len(argv) > 3 else ""
    return " ".join([name, *argv[4:]]) if name.startswith(("reload ", "restart ", "stop ")) else ""


@dataclass(frozen=True)
class HostPlan:
    """All items of one host, against the revision they were compared with.

    `at_gate`: the items, by name, that a host which does not serve yet begins only once all before them hold.
    """

    host: str
    revision: int
    items: tuple[ItemPlan, ...]
    at_gate: frozenset[str] = frozenset()

    @property
    def changes(self) -> tuple[ItemPlan, ...]:
        """The items that apply changes."""
        return tuple(item for item in self.items if item.changes)

    @property
    def fingerprint(self) -> str:
        """The same for the same steps on the same things as found, and no others; contents enter as digests."""
        steps = [[item.item, item.enforce, item.found, [_print(step) for step in item.steps]] for item in self.items]
        return hashlib.sha256(json.dumps(steps, sort_keys=True).encode()).hexdigest()


def plan_host(
    host: str, compiled: Iterable[Compiled], seen: Observation, revision: int, enforced: frozenset[str]
) -> HostPlan:
    """Compares every resource and asks the ones that differ for their steps."""
    parts = tuple(compiled)
    return HostPlan(host, revision, tuple(_plan_item(part, seen, enforced) for part in parts), _at_gate(parts, seen))


def _at_gate(parts: tuple[Compiled, ...], seen: Observation) -> frozenset[str]:
    serving = [part for part in parts if part.item.serves]
    if not serving or any(r.in_service(seen) for part in serving for r in part.resources if isinstance(r, Serving)):
        return frozenset()
    return frozenset(part.item.name for part in parts[parts.index(serving[0]) :])


def _plan_item(part: Compiled, seen: Observation, enforced: frozenset[str]) -> ItemPlan:
    differences: list[Difference] = []
    steps: list[Step] = []
    answers: list[str | None] = []
    armed = False
    for resource in part.resources:
        found = tuple(resource.compare(seen))
        if found:
            differences.extend(found)
            answers.extend(seen[question] for question in resource.questions())
            if resource.risky and not armed:
                # Not before: what may take long (packages) does not use up the time to confirm.
                steps.append(Arm())
                armed = True
            steps.extend(resource.steps(seen))
    digest = hashlib.sha256(json.dumps(answers).encode()).hexdigest() if answers else ""
    return ItemPlan(
        part.item.name, tuple(differences), tuple(_joined(steps)), part.item.name in enforced, armed, digest
    )


def _joined(steps: Iterable[Step]) -> Iterator[Step]:
    """A command that several resources ask for is run once, where its `once` says."""
    pending: dict[Run, None] = {}
    last: dict[Run, list[str]] = {}
    done: set[Run] = set()
    for step in steps:
        match step:
            case Run(once="item") if step in done:
                continue
            case Run(once="files"):
                pending[step] = None
                continue
            case Run(once="last"):
                last.setdefault(replace(step, operands=()), []).extend(step.operands)
                continue
            case Run():
                yield from pending
                pending.clear()
                done.add(step)
        yield step
    yield from pending
    for run, operands in last.items():
        yield replace(run, argv=(*run.argv, *operands), undo=(*run.undo, *operands) if run.undo else ())


def _print(step: Step) -> list[object]:
    fields: dict[str, object] = asdict(step)
    if isinstance(step, Put):
        fields["content"] = hashlib.sha256(step.content).hexdigest()
    return [type(step).__name__, fields]
