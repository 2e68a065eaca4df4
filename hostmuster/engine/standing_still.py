"""What was halted to replace or revoke a secret stands still until that goes on, whoever applies meanwhile (K5, K7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hostmuster.engine.plan import HostPlan
from hostmuster.errors import Refused, RefusedByHosts
from hostmuster.model.fleet import Host
from hostmuster.onhost.answers import State
from hostmuster.resources.step import Run
from hostmuster.secrets.reader import readers_of


def require_left_halted(hosts: Iterable[tuple[Host, HostPlan, State]]) -> None:
    """Raises Refused where a plan would start, or let a boot start, what was halted there."""
    refused = [error for error in (_refusal(*one) for one in hosts) if error is not None]
    if refused:
        raise refused[0] if len(refused) == 1 else RefusedByHosts(refused)


def _refusal(host: Host, plan: HostPlan, state: State) -> Refused | None:
    units = [unit for unit in state.halted if unit in set(_begun(plan))]
    if not units:
        return None
    names = sorted({name for one in readers_of(host).values() if one.unit in units for name in one.secrets})
    halted, of = ", ".join(units), ", ".join(names)
    what = f"halted to replace or revoke a secret ({of}), and started by that alone: {halted}"
    remedy = "type that command again, it goes on from there: secrets.rotate NAME or secrets.revoke NAME"
    return Refused(what, where=host.name, remedy=remedy)


def _begun(plan: HostPlan) -> Iterator[str]:
    for step in (step for part in plan.changes for step in part.steps):
        if isinstance(step, Run) and step.argv[:2] in (("systemctl", "start"), ("systemctl", "enable")):
            yield from step.argv[2:]
