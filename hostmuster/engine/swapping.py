"""A credential that two sides hold swapped: on all of them at once, for a value that is made or given (K7)."""

from __future__ import annotations

from hostmuster.engine.opening import Opening
from hostmuster.engine.outage import outage
from hostmuster.engine.record import Record
from hostmuster.engine.replacing import Replacing, require_confirmed
from hostmuster.engine.replicas import look_at_value
from hostmuster.errors import Refused
from hostmuster.secrets.rotation import replacement
from hostmuster.secrets.rotation.rollout import all_at_once, is_open
from hostmuster.secrets.rotation.transition import Edit
from hostmuster.secrets.value import Secret


def swap(opening: Opening, record: Record) -> dict[str, object]:
    """A new value of the credential, on all of them at once.

    Raises Refused, nothing touched: without the typed name or a value that must be given, while a host cannot be
    reached or has more to come than this; InputError for a value that its kind refuses. Raises HostFailed in the
    middle; typed again it goes on from there.
    """
    name = opening.job.secret or ""
    made = _new_value(opening, name)
    require_confirmed(opening, name)
    with outage(opening, record, name) as out:
        replacing = Replacing(out, f"see to that, then: hostmuster secrets.rotate {name}")
        out.require_nothing_else()
        with record.forward(replacing.again):
            _swap(replacing, name, made)
    return replacing.document()


def _new_value(opening: Opening, name: str) -> Secret:
    """Made here, or by whoever keeps what the secret leads to: then it was given."""
    kind, given = opening.store.entries[name].kind, opening.job.value
    if kind.generate is not None:
        return kind.generate(name)
    if given is None:
        remedy = "give it on standard input, or at the prompt"
        raise Refused(f"a secret of kind {kind.name} is not generated", where=name, remedy=remedy)
    return kind.check(Secret(given.get_secret_value()), name).value


def _swap(replacing: Replacing, name: str, made: Secret) -> None:
    out = replacing.out
    request: replacement.Request | None = None
    while True:
        seen, digits = look_at_value(out.opening, name), out.digits
        if request is None:
            # What a run that was cut off left is brought to its end, and no second one begun.
            here = [one for one in seen.replicas if one.name not in seen.excluded]
            whole = not is_open(all_at_once(digits, here), here)
            request = "begin" if whole else "go on"
            if not whole:
                out.record.warning(f"not every service is seen to use {name} as the store has it: no new value is made")
                _require_the_same(out.opening, name, made)
        due = replacement.next_step(request, "swap", digits, seen.replicas, seen.excluded)
        if replacing.take(due, seen):
            return
        if isinstance(due, Edit):
            request = "go on"
            _replace(replacing, name, made)


def _require_the_same(opening: Opening, name: str, made: Secret) -> None:
    """What was given is what the store has already, where a replacement is open: else it would be taken for done."""
    if opening.store.entries[name].kind.generate is None and made != opening.store.value(name):
        remedy = f"end it first, with the value that secrets.show {name} shows"
        raise Refused("another replacement is open", where=name, remedy=remedy)


def _replace(replacing: Replacing, name: str, made: Secret) -> None:
    replacing.edit(name, made, lambda _value: made)
    replacing.note(f"store: replace {name}")
