"""What a host is brought to when it leaves the fleet: first what serves stops, then secrets go, last our own login."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from hostmuster.effects.access import DOWN
from hostmuster.engine.automation import no_automation
from hostmuster.engine.catalogue import Compiled
from hostmuster.engine.ending import ENDED, NEVER
from hostmuster.engine.ending import ended as how_ended
from hostmuster.engine.exposure import holds_secret
from hostmuster.engine.staging import GENERATIONS
from hostmuster.item import Answer, Effect, Item, Seen
from hostmuster.model.fleet import Host
from hostmuster.resources.absent import Absent
from hostmuster.resources.resource import Resource
from hostmuster.resources.retired import Retired
from hostmuster.resources.ssh_key import SshKey
from hostmuster.resources.unit import Unit
from hostmuster.secrets.value import Secret
from hostmuster.ssh.trust import IDENTITY

SERVICE = Item("service")
SECRETS = Item("secrets")
LOGIN = Item("login")
REFUSED = Item("refused")
TEXTS = {
    SERVICE: "What served there is drained and stopped, and starts no more.",
    SECRETS: "What only it may read is removed from it; what a disk keeps below its file system is out of reach.",
    LOGIN: "The automation user is gone; operators' own access stays.",
    REFUSED: "No member lets its service user in any more.",
}
NAMES = frozenset(item.name for item in TEXTS)
FORGOTTEN = "the name is forgotten"


def service(compiled: Sequence[Compiled]) -> Compiled:
    """Units in the reverse of the order in which they start, and those that other items would have stopped.

    Nothing that proves the service may hold any more.
    """
    parts = [part for part in reversed(compiled) if part.item.serves]
    units = [r for part in parts for r in reversed(part.resources) if isinstance(r, Unit) and r.active]
    others = [r for part in reversed(compiled) for r in part.leaving if part.item.serves or isinstance(r, Retired)]
    proofs = [_no_more(e) for part in compiled for e in part.effects if e.of_service and e.cost == "cheap"]
    effects = (*(ended(unit.name) for unit in units), *proofs)
    return _part(SERVICE, (*(Retired(unit.name) for unit in units), *others), effects)


def secrets(compiled: Sequence[Compiled], values: Mapping[str, Secret]) -> Compiled:
    """What items say, the last first; then every file that holds a secret, and the keys that were made there."""
    parts = [part for part in reversed(compiled) if not part.item.serves]
    said = [r for part in parts for r in part.leaving if not isinstance(r, Retired)]
    paths = (*_secret_paths((r for part in compiled for r in part.resources), values), GENERATIONS)
    named = tuple(r.claim for r in said)
    gone = [Absent(path) for path in dict.fromkeys(paths) if not any(f"{path}/".startswith(f"{n}/") for n in named)]
    removed = [r.path for r in (*said, *gone) if isinstance(r, Absent)]
    return _part(SECRETS, (*said, *gone), (_nothing_at(removed),))


def login(host: Host) -> Compiled:
    """The last: after it nobody of ours comes in."""
    return _part(LOGIN, tuple(no_automation(host)), ())


def refused(compiled: Sequence[Compiled], members: Iterable[Host]) -> Compiled:
    """As the service user, with all it still has: no member lets it in."""
    users = [r.owner for part in compiled for r in part.resources if isinstance(r, SshKey) and r.path == IDENTITY]
    return _part(REFUSED, (), tuple(_stays_out(user, member) for user in users for member in members))


def forgotten(host: Host) -> Compiled:
    """On a member: the name is nobody's any more."""
    ask = ("getent", "-s", "files", "ahosts", host.name)
    effect = Effect(FORGOTTEN, ask, lambda a: Seen(a.status != 0, a.output.strip() or f"{host.name} is no name there"))
    return Compiled(Item("departure"), "", (), (effect,))


def ended(unit: str) -> Effect:
    """How it stopped: drained, stopped or killed (K9)."""

    def judge(answer: Answer) -> Seen:
        state = (answer.output.splitlines() or [""])[0]
        if state not in ("inactive", "failed", "unknown"):
            return Seen(False, f"is {state}")
        return Seen(
            True, "did not run" if answer.status == NEVER else how_ended("", unit, "stopped", None, answer).manner
        )

    return Effect(f"{unit} ended", ("sh", "-c", ENDED, "sh", unit), judge, deadline_s=2)


def _no_more(effect: Effect) -> Effect:
    def judge(answer: Answer) -> Seen:
        seen = effect.judge(answer)
        return Seen(not seen.ok, f"still: {seen.seen}" if seen.ok else seen.seen)

    return replace(effect, name=f"no more: {effect.name}", judge=judge, deadline_s=2)


def _secret_paths(resources: Iterable[Resource], values: Mapping[str, Secret]) -> Iterator[str]:
    for one in resources:
        if isinstance(one, SshKey) and one.make:
            yield from (one.path, f"{one.path}.pub")
        elif one.claim.startswith("/") and holds_secret(one, values):
            yield one.claim


def _nothing_at(paths: Sequence[str]) -> Effect:
    def judge(answer: Answer) -> Seen:
        left = answer.output.split()
        return Seen(not left, f"still there: {', '.join(left)}" if left else f"{len(paths)} paths are gone")

    ask = ("sh", "-c", 'for path; do [ ! -e "$path" ] || echo "$path"; done', "sh", *paths)
    return Effect("removed", ask, judge)


def _stays_out(user: str, member: Host) -> Effect:
    def judge(answer: Answer) -> Seen:
        last = (answer.output.strip().splitlines() or ["no word"])[-1]
        if answer.status == 0:
            return Seen(False, f"lets {last} in")
        return Seen(True if "Permission denied" in answer.output or DOWN.search(answer.output) else None, last)

    options = ("-o", "BatchMode=yes", "-o", "ConnectTimeout=5", "-o", "ControlPath=none")
    ask = ("runuser", "-u", user, "--", "ssh", *options, member.name, "id -un")
    return Effect(f"{member.name} refuses it", ask, judge, cost="deep", deadline_s=2)


def _part(item: Item, resources: tuple[Resource, ...], effects: tuple[Effect, ...]) -> Compiled:
    return Compiled(item, TEXTS[item], resources, effects)
