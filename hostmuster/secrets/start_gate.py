"""The start gate on a host: what it needs to know there, and how it is seen from outside (DESIGN.md, "Secrets")."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from typing import Final

from hostmuster.item import Answer, Effect, Seen
from hostmuster.resources.step import Run

FOLDER: Final = "/etc/hostmuster/gate"
PROGRAM: Final = f"{FOLDER}/gate"
PEERS: Final = f"{FOLDER}/peers"
ANNOUNCED: Final = "/var/lib/hostmuster-generation"
"""A link that says the number of the host's generation, which is no secret, to those who may not see the generation."""
SERVICE: Final = "hostmuster-gate.service"
TIMER: Final = "hostmuster-gate.timer"
EVERY_S: Final = 60
"""A host that was left behind while it ran finds out within so many seconds of hearing a peer again."""

OPENED: Final = Run(("sh", "-c", "install -d -m 0700 /run/hostmuster-gate && : >/run/hostmuster-gate/open"))
"""A host that was switched together with all others has what they have: until its next boot it need not ask."""

SHUT: Final = Run(("rm", "-f", "--", "/run/hostmuster-gate/open"))
"""A host that goes back to what the others no longer have is to ask again."""

SERVES_NOTHING: Final = f"""\
[ -x {PROGRAM} ] && [ ! -e /run/hostmuster-gate/open ] || exit 1
for unit; do ! systemctl is-active -q -- "$unit" || exit 1; done"""
"""Shell that exits 0 where the gate is shut and none of these units runs."""

CONDITION: Final = f"ExecCondition=+/usr/bin/env -i {PROGRAM} pass %n"
"""A unit's own line. What asks has nothing of the unit's environment: that may hold secrets."""


def source() -> str:
    """The program, as it is linted and as hosts get it."""
    return files(__package__).joinpath("start_gate.sh").read_text("utf-8")


def peers(service: str, names: Iterable[str], units: Iterable[str]) -> bytes:
    """What it reads: as whom it asks, whom, and what reads secrets here."""
    lines = [f"service {service}", *(f"peer {name}" for name in names), *(f"unit {unit}" for unit in units)]
    return "".join(f"{line}\n" for line in lines).encode()


def holds_nothing_back() -> Effect:
    """No service waits for the gate."""

    def judge(answer: Answer) -> Seen:
        said = answer.output.strip()
        if answer.status != 0 or said:
            return Seen(False, f"its services wait: {said[:300]}")
        return Seen(True, "no service waits")

    return Effect("the start gate is open", (PROGRAM, "tell"), judge, deadline_s=5, of_service=True)


def hears(peer: str) -> Effect:
    """A peer tells its generation."""

    def judge(answer: Answer) -> Seen:
        said = answer.output.strip()
        return Seen(said.isdigit(), f"{peer} has generation {said}" if said.isdigit() else f"{peer} does not tell")

    name = f"{peer} tells the start gate its generation"
    return Effect(name, (PROGRAM, "ask", peer), judge, cost="deep", deadline_s=8, peer=peer)
