"""What an operator does to one host by hand: see and settle what is open there, freeze it, thaw it."""

from __future__ import annotations

from hostmuster.engine.connection import connections
from hostmuster.engine.opening import Opening
from hostmuster.onhost.answers import State
from hostmuster.onhost.program import line


def unlock(opening: Opening, settle: str | None) -> dict[str, object]:
    """Shows each host's holder, open change and debts; `settle` ends the change there and then the lease."""
    acts = {None: [], "revert": ["unlease", "revert"], "resume": ["unlease", "settle"]}[settle]
    return _each(opening, *acts)


def freeze(opening: Opening, frozen: bool) -> dict[str, object]:
    """Maintenance on or off: while on, every change of the host is refused."""
    return _each(opening, line("freeze", "true" if frozen else "false"))


def _each(opening: Opening, *acts: str) -> dict[str, object]:
    hosts: dict[str, object] = {}
    for name, way in connections(opening.hosts, opening.access()).items():
        answers = way.run("\n".join([*acts, line("state", "state")]))
        way.close()
        state = State.parse(answers["state"].output)
        settled = answers.get("settled")
        hosts[name] = {
            "holder": state.holder or None,
            "run": state.run or None,
            "change": state.change or None,
            "owed": [f"{debt.action} {debt.unit}" for debt in state.debts],
            "frozen": state.frozen,
            "revision": state.revision,
            "settled": settled.output if settled else None,
        }
    return hosts
