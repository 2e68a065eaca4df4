"""What must be done: a pure difference between what is declared and what a host answered."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import UnionType

from hostmuster.engine.catalogue import Compiled
from hostmuster.engine.foreign import foreign
from hostmuster.errors import Refused
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
    in_service: bool = False
    """Whether any of it runs there, or will by itself at the next boot."""
    broken: str = ""
    """What a kind of resource raised in place of a comparison or of steps: then there is neither."""

    @property
    def blocked(self) -> tuple[str, ...]:
        """Why differences cannot be mended by us."""
        return tuple(step.reason for step in self.steps if isinstance(step, Blocked))

    @property
    def changes(self) -> bool:
        """Whether apply has something to do."""
        return bool(self.differences or self.broken) and self.enforce

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
    host: str, compiled: Iterable[Compiled], seen: Observation, revision: int, enforced: frozenset[str], root: Path
) -> HostPlan:
    """Compares every resource and asks the ones that differ for their steps. `root`: of the project, whose own kinds
    of resources may raise anything; that is their item's, and no other's."""
    parts = tuple(compiled)
    items = tuple(_plan_item(host, part, seen, enforced, root) for part in parts)
    return HostPlan(host, revision, items, _at_gate(parts, items))


def _at_gate(parts: tuple[Compiled, ...], items: tuple[ItemPlan, ...]) -> frozenset[str]:
    first = next((at for at, part in enumerate(parts) if part.item.serves), None)
    if first is None or any(item.in_service for item in items):
        return frozenset()
    return frozenset(item.item for item in items[first:])


def _plan_item(host: str, part: Compiled, seen: Observation, enforced: frozenset[str], root: Path) -> ItemPlan:
    name = part.item.name
    try:
        with foreign(root, f"{host}, {name}", f"correct that kind of resource, or the item {name}"):
            return _compared(part, seen, enforced)
    except Refused as error:
        why = f"{error.what}: {error.remedy}"
        return ItemPlan(name, (), (Blocked(why),), name in enforced, armed=False, broken=why)


def _compared(part: Compiled, seen: Observation, enforced: frozenset[str]) -> ItemPlan:
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
    _require(Difference, differences, "its compare gives")
    _require(Step, steps, "its steps give")
    digest = hashlib.sha256(json.dumps(answers).encode()).hexdigest() if answers else ""
    serving = part.resources if part.item.serves else ()
    return ItemPlan(
        part.item.name,
        tuple(differences),
        tuple(_joined(steps)),
        part.item.name in enforced,
        armed,
        digest,
        in_service=any(r.in_service(seen) for r in serving if isinstance(r, Serving)),
    )


def _require(kind: type | UnionType, given: Iterable[object], said: str) -> None:
    for one in given:
        if not isinstance(one, kind):
            raise TypeError(f"{said} {one!r}")


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
