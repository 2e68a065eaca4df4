"""A systemd unit's state: enabled, running, masked, and no drop-in that nobody declared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hostmuster.resources.file import DAEMON_RELOAD
from hostmuster.resources.resource import Difference, Observation, Probe, Question
from hostmuster.resources.step import Keep, Owe, Run, Step

_PROPERTIES = "Id,LoadState,UnitFileState,ActiveState,NeedDaemonReload,DropInPaths"


def _split(output: str, keys: Sequence[str]) -> Mapping[str, str]:
    # One block a unit in the order asked; Id differs from the name asked for where that is an alias.
    blocks = [block for block in output.split("\n\n") if "LoadState=" in block]
    return dict(zip(keys, blocks, strict=False))


SHOW = Probe("unit", ("systemctl", "show", "-p", _PROPERTIES, "--"), _split)


def properties(seen: Observation, unit: str) -> dict[str, str]:
    """What SHOW says of a unit; of one that nobody knows, that it is not there and does not run."""
    now = dict.fromkeys(_PROPERTIES.split(","), "") | {"LoadState": "not-found", "ActiveState": "inactive"}
    for line in (seen[Question(SHOW, unit)] or "").splitlines():
        name, _, value = line.partition("=")
        now[name] = value
    return now


def listing(url: str) -> tuple[str, ...]:
    """The command that asks a URL for a service's runs: JSON with a list `runs`, or a line for each."""
    return ("curl", "-q", "-fsS", "-m", "5", "--noproxy", "*", url)


@dataclass(frozen=True)
class NamedUnit:
    """What every kind that is about a unit has in common, so that no unit is declared as two of them."""

    name: str

    @property
    def id(self) -> str:
        """`unit NAME`."""
        return f"unit {self.name}"

    @property
    def claim(self) -> str:
        """The id."""
        return self.id

    def questions(self) -> Iterator[Question]:
        """Its properties."""
        yield Question(SHOW, self.name)


@dataclass(frozen=True)
class Unit(NamedUnit):
    """A unit's state. `drop_ins`: the paths that may extend it; None means that any may.

    `ready` is a command on the host that succeeds once the unit serves, within `ready_s` seconds; the roller
    asks it after a restart. `runs` is one that lists the work it is at, which a stop would end. Nothing here restarts a
    running unit. `active` None: it may run or not.
    """

    enabled: bool = True
    active: bool | None = True
    drop_ins: tuple[str, ...] | None = None
    ready: tuple[str, ...] = ()
    ready_s: int = 30
    runs: tuple[str, ...] = ()
    risky: bool = False

    def compare(self, seen: Observation) -> Iterator[Difference]:
        """Masked, enabled, active, stale definition, foreign drop-ins."""
        now = properties(seen, self.name)
        if now["UnitFileState"].startswith("masked"):
            yield Difference(self.id, "mask", "masked", "not masked")
        elif now["LoadState"] == "not-found":
            yield Difference(self.id, "definition", "not found", "a unit")
        elif now["UnitFileState"] not in self._states():
            yield Difference(self.id, "start at boot", now["UnitFileState"] or "unknown", self._states()[0])
        if self.active not in (None, now["ActiveState"] in ("active", "reloading")):
            yield Difference(self.id, "state", now["ActiveState"], "active" if self.active else "inactive")
        if now["NeedDaemonReload"] == "yes":
            yield Difference(self.id, "definition", "changed on disk, not loaded", "loaded")
        for path in self._foreign(now):
            yield Difference(self.id, "drop-in", path, "none but ours")

    def in_service(self, seen: Observation) -> bool:
        """Active, or enabled."""
        now = properties(seen, self.name)
        return now["ActiveState"] in ("active", "reloading") or now["UnitFileState"].startswith("enabled")

    def steps(self, seen: Observation) -> Iterator[Step]:
        """Unmask, load, enable or disable, start or stop; a foreign drop-in is kept aside and its effect owed."""
        now = properties(seen, self.name)
        foreign = self._foreign(now)
        for path in foreign:
            yield Keep(path)
            yield Run(("rm", "-f", "--", path))
        if foreign and now["ActiveState"] == "active":
            yield Owe(self.name, "restart")
        if now["UnitFileState"].startswith("masked"):
            yield Run(("systemctl", "unmask", "--", self.name), undo=("systemctl", "mask", "--", self.name))
        if foreign or now["NeedDaemonReload"] == "yes":
            yield DAEMON_RELOAD
        if now["UnitFileState"] not in self._states():
            on, off = ("enable", "disable") if self.enabled else ("disable", "enable")
            yield Run(("systemctl", on, "--"), undo=("systemctl", off, "--"), once="last", operands=(self.name,))
        running = now["ActiveState"] in ("active", "reloading")
        if self.active and not running:
            if now["ActiveState"] == "failed":
                yield Run(("systemctl", "reset-failed", "--", self.name))
            yield Run(("systemctl", "start", "--", self.name), undo=("systemctl", "stop", "--", self.name)).patient
        if running and self.active is False:
            yield Run(("systemctl", "stop", "--", self.name), undo=("systemctl", "start", "--", self.name)).patient

    def _states(self) -> tuple[str, ...]:
        # A static or generated unit has nothing to enable: what pulls it in was declared elsewhere.
        settled = ("static", "generated", "alias", "indirect")
        return ("enabled", "enabled-runtime", *settled) if self.enabled else ("disabled", *settled)

    def _foreign(self, now: Mapping[str, str]) -> list[str]:
        if self.drop_ins is None:
            return []
        paths = now["DropInPaths"].split()
        return [path for path in paths if path.startswith("/etc/") and path not in self.drop_ins]
