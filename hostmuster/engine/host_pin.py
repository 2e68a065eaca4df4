"""Whether a host is the one it is taken for: the key it presents against what is pinned and what a person confirmed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hostmuster.engine.access import CONNECT_S
from hostmuster.errors import Refused
from hostmuster.model.fleet import Host
from hostmuster.ssh import pin_file
from hostmuster.ssh.host_key import HostKey
from hostmuster.ssh.key_exchange import presented
from hostmuster.ssh.known_hosts import name_of


@dataclass(frozen=True)
class Sighting:
    """A host, the key it presents, and those that are pinned for it in `file`."""

    host: Host
    file: Path
    key: HostKey
    pinned: tuple[HostKey, ...]
    departed: tuple[HostKey, ...] = ()
    """Those that were pinned for it when it left the fleet; it comes back by a confirmation like a new one's."""

    @property
    def is_known(self) -> bool:
        """Whether it presents a key that is pinned."""
        return self.key in self.pinned

    def document(self) -> dict[str, object]:
        """What whoever asks a person needs to show."""
        return {
            "address": self.host.address,
            "key": str(self.key),
            "fingerprint": self.key.fingerprint,
            "pinned": [str(key) for key in self.replaced],
            "known": self.is_known,
        }

    def admit(self, fingerprint: str | None, *, replace: bool) -> bool:
        """Pins the key where the person who confirmed it named its fingerprint. Whether anything was pinned.

        Raises Refused, nothing written, for a key nobody confirmed, one that is not the confirmed one, and one other
        than the pinned one unless it is to be replaced.
        """
        if fingerprint is not None and fingerprint != self.key.fingerprint:
            raise self._refused(f"it presents {self.key}, not {fingerprint}", "find out which of the two is its own")
        if self.is_known:
            return False
        if self.replaced and not replace:
            was = " and ".join(map(str, self.replaced))
            raise self._refused(
                f"it presents {self.key}, but {was} is pinned",
                f"if it was rebuilt, and its console shows the new one: `{self._command('--replace ')}`",
            )
        if fingerprint is None:
            raise self._refused(
                f"its host key is not confirmed: it presents {self.key}",
                f"compare it with what its console shows, then: `{self._command('--replace ' if replace else '')}`",
            )
        name = name_of(self.host.address, self.host.port)
        pin_file.change(self.file, lambda pins: pins.with_return(self.host.name).with_pin(name, self.key))
        return True

    @property
    def replaced(self) -> tuple[HostKey, ...]:
        """The keys in whose place this one would be pinned."""
        return () if self.key in self.departed else (*self.pinned, *self.departed)

    def _command(self, options: str) -> str:
        return (
            f"hostmuster onboard {self.host.name} {options}--fingerprint {self.key.fingerprint}"
            f" --fleet {self.host.fleet.name}"
        )

    def _refused(self, what: str, remedy: str) -> Refused:
        return Refused(what, where=self.host.name, remedy=remedy)


def sight(host: Host, file: Path) -> Sighting:
    """Asks the host for its key. Raises HostFailed where it presents none, Refused for a key that is revoked."""
    pins = pin_file.read(file)
    pinned = pins.keys(name_of(host.address, host.port))
    departed = pins.departed(host.name)
    kinds = (one.kind for one in (*pinned, *departed))
    key = presented(host.name, host.address, host.port, kinds, CONNECT_S)
    if pins.is_revoked(key) and key not in departed:
        raise Refused(
            f"it presents {key}, which {file.name} names as revoked",
            where=host.name,
            remedy="whoever has that key may pretend to be the host: give it a new one (ssh-keygen -A there)",
        )
    return Sighting(host, file, key, () if departed else pinned, departed)
