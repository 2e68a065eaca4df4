"""A key of a ring revoked: what it signed is refused by every replica from the same moment on (K5)."""

from __future__ import annotations

from hostmuster.engine.consumers import Copies
from hostmuster.engine.opening import Opening
from hostmuster.engine.outage import outage
from hostmuster.engine.record import Record
from hostmuster.engine.replacing import Replacing, require_confirmed
from hostmuster.engine.replicas import look
from hostmuster.engine.rotation import issuer_of
from hostmuster.errors import Refused
from hostmuster.secrets import ring_text, rsa_key
from hostmuster.secrets.ring import Ring, RingKey
from hostmuster.secrets.rotation.keys import Kids
from hostmuster.secrets.rotation.signing_ring import revoke_step
from hostmuster.secrets.rotation.transition import Edit, Refresh
from hostmuster.secrets.value import Secret


def revoke(opening: Opening, record: Record) -> dict[str, object]:
    """A key out of every replica at once; what it signed is refused by each of them afterwards.

    Raises Refused, nothing touched: without the typed name, for a key that the ring has not, while a host cannot be
    reached or has more to come than this. Raises HostFailed in the middle; typed again it goes on from there.
    """
    name = opening.job.secret or ""
    issuer = issuer_of(opening, name)
    require_confirmed(opening, name)
    with outage(opening, record, name) as out:
        key = _key(_ring(out.opening, name), opening.job.kid)
        replacing = Replacing(out, f"see to that, then: hostmuster secrets.revoke {name}")
        copies = Copies(out.opening, record, name, f"hostmuster secrets.revoke {name}")
        out.require_nothing_else()
        with record.forward(replacing.again):
            while True:
                ring, seen = _ring(out.opening, name), look(out.opening, name, issuer)
                known = copies.seen(ring, seen.excluded)
                due = revoke_step(key.word, Kids.of(ring), seen.replicas, seen.excluded, known)
                if replacing.take(due, seen):
                    break
                if isinstance(due, Refresh):
                    copies.wait(due.consumers)
                if isinstance(due, Edit):
                    _edit_ring(replacing, name, due, key.kid)
    return replacing.document()


def _edit_ring(replacing: Replacing, name: str, due: Edit, kid: str) -> None:
    fresh = rsa_key.generate() if due.change == "revoke" else None

    def turned(value: Secret) -> Secret:
        ring = ring_text.parsed(value.text(), name)
        after = ring.without(kid, RingKey(ring.next_kid, fresh)) if fresh else ring.forgotten()
        return ring_text.written(after)

    replacing.edit(name, fresh, turned)
    replacing.note(f"store: {due.change} {kid}")


def _key(ring: Ring, kid: str | None) -> RingKey:
    """The key by its kid; without one that which is being revoked already, else that which signs."""
    if kid is None:
        return ring.revoked[0] if ring.revoked else ring.current
    for key in ring.keys:
        if key.kid == kid:
            return key
    raise Refused(f"no key `{kid}`", where="--kid", remedy=f"the ring has: {', '.join(key.kid for key in ring.keys)}")


def _ring(opening: Opening, name: str) -> Ring:
    return ring_text.parsed(opening.store.value(name).text(), name)
