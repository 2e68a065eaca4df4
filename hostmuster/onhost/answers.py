"""Answers of the on-host script: frames with a length, so that a cut answer is never taken for a whole one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from hostmuster.errors import HostFailed
from hostmuster.item import Answer

_HEAD = re.compile(rb"= (?P<name>[!-~]+) (?P<status>\d+) (?P<length>\d+)")


@dataclass(frozen=True)
class Debt:
    """A restart or reload owed to a unit."""

    unit: str
    action: str


@dataclass(frozen=True)
class State:
    """What a host knows of itself (DESIGN.md, State on a host)."""

    schema: int
    revision: int
    applied: str
    frozen: str
    """Why it is frozen for maintenance; empty: it is not."""
    holder: str
    run: str
    lease_s: int
    """Seconds that its lease has left."""
    debts: tuple[Debt, ...]
    change: str
    generation: int | None
    """The number of its generation of secrets; None: it has none."""
    excluded: tuple[str, ...] = ()
    """The hosts that its generation was made without."""
    waits: str = ""
    """Why its start gate keeps services that read secrets from starting; empty: it does not."""
    halted: tuple[str, ...] = ()
    """The services that were stopped for good to replace or revoke a secret, and do not run."""

    @classmethod
    def parse(cls, text: str) -> State:
        """From the answer to `state`."""
        fields: dict[str, list[str]] = {}
        debts = []
        excluded = []
        halted = []
        for words in (line.split() for line in text.splitlines() if line):
            if words[0] == "owed":
                # One that a power loss emptied is settled before anything is paid; a restart outweighs a reload.
                debts.append(Debt(words[1], words[2] if len(words) > 2 else "restart"))
            elif words[0] == "excluded":
                excluded.append(words[1])
            elif words[0] == "halted":
                halted.append(words[1])
            else:
                fields[words[0]] = words[1:]
        holder, run, lease_s = fields.get("lease", ["", "", "0"])
        return cls(
            schema=int(fields["schema"][0]),
            revision=int(fields["revision"][0]),
            applied=" ".join(fields["applied"]),
            frozen=" ".join(fields.get("frozen", [])),
            holder=holder,
            run=run,
            lease_s=max(int(lease_s), 0),
            debts=tuple(debts),
            change=" ".join(fields.get("change", [])),
            generation=int(fields["generation"][0]) if "generation" in fields else None,
            excluded=tuple(excluded),
            waits=" ".join(fields.get("waits", [])),
            halted=tuple(halted),
        )


class Answers:
    """All answers to one program, by id; `end` says how the program ended."""

    def __init__(self, by_id: Mapping[str, Answer]) -> None:
        self._by_id = by_id

    def __getitem__(self, name: str) -> Answer:
        return self._by_id[name]

    def get(self, name: str) -> Answer | None:
        """The answer, or None where the program gave none."""
        return self._by_id.get(name)

    @property
    def end(self) -> str:
        """`done`, or what ended the program early."""
        return self._by_id["end"].output


def parse(host: str, output: str, *, status: int, errors: str) -> Answers:
    """Frames to answers. Raises HostFailed, naming the host, where the last frame is missing or says it failed."""
    rest = output.encode("utf-8", "surrogateescape")
    found: dict[str, Answer] = {}
    while rest:
        line, _, rest = rest.partition(b"\n")
        if not line.startswith(b"= "):
            continue
        head = _HEAD.fullmatch(line)
        if head is None or len(rest) <= (length := int(head["length"])):
            break
        found[head["name"].decode()] = Answer(int(head["status"]), rest[:length].decode("utf-8", "replace"))
        rest = rest[length + 1 :]
    if "end" not in found:
        raise HostFailed(_why_cut(status, errors), where=host, remedy=_remedy(errors))
    if found["end"].status != 0:
        raise HostFailed(
            found["end"].output, where=host, remedy="run again once that is over, or see `hostmuster unlock`"
        )
    return Answers(found)


def _why_cut(status: int, errors: str) -> str:
    last = (errors.strip().splitlines()[-1:] or ["no message"])[0]
    if last.startswith("sudo:"):
        return f"sudo does not let us ({last})"
    return f"the answer was cut before its end (exit {status}: {last})"


def _remedy(errors: str) -> str:
    if "incorrect password" in errors:
        return "run it again with --ask-sudo, and give the automation user's password on that host"
    if "password is required" in errors or "no password was provided" in errors:
        return "run it with --ask-sudo, or let the automation user use sudo without a password"
    if "sudo:" in errors:
        return "the automation user needs sudo: `hostmuster bootstrap` gives it its rule"
    return "what was open there is settled by the next apply; `hostmuster unlock HOST` shows it"
