"""Servers taken out of the ingress hosts' HAProxies for a restart, and put back after it: never two at once (H13)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from gevent.pool import Pool
from paramiko import Channel

from hostmuster.engine.access import Access
from hostmuster.engine.connection import Connection, connections
from hostmuster.engine.record import Record
from hostmuster.errors import HostFailed, HostmusterError
from hostmuster.ingress.rendering import ADMIN, BACKEND
from hostmuster.ingress.settings import LoadBalancer, balancers
from hostmuster.model.fleet import Fleet, Host
from hostmuster.onhost import script
from hostmuster.onhost.answers import Debt

UNDO_S = 30
"""So long after its drain a server that nobody put back is by itself. While it restarts it is found down anyway."""
BACK_S = 10
"""So long a server that says it is ready may take to be found so."""


@dataclass(frozen=True)
class _Ingress:
    """An ingress host: what it balances, and our way there."""

    want: LoadBalancer
    way: Connection

    @property
    def name(self) -> str:
        return self.way.host.name

    def say(self, verb: str, server: str, seconds: int) -> str:
        """The script's last line. Raises HostmusterError where the host is not to be reached, or cannot do it."""
        undo_s = self.want.drain_s + UNDO_S
        said = self.way.converse(
            script.drain_text(), f"{verb} {ADMIN} {BACKEND} {server} {seconds} {undo_s}", _last_line
        )
        if said.startswith("failed "):
            raise HostmusterError(said.removeprefix("failed "))
        return said


def _last_line(channel: Channel) -> str:
    """What comes after the signs of life. Raises EOFError where nothing does, TimeoutError for silence."""
    output = b""
    while chunk := channel.recv(4096):
        output += chunk
    lines = [line for line in output.decode("utf-8", "replace").splitlines() if line != "."]
    if not lines:
        raise EOFError(channel.recv_stderr(4096).decode("utf-8", "replace").strip() or "it closed without a word")
    return lines[-1]


class Drains:
    """What one run takes out. In a fleet without ingress hosts it does nothing and asks nobody."""

    def __init__(self, fleet: Fleet, access: Access, record: Record) -> None:
        self._record = record
        self._wants = balancers(fleet)
        self._access = access
        self._hosts = [fleet.hosts[name] for name in self._wants]
        self._ingress: dict[str, _Ingress] | None = None

    @contextmanager
    def around(self, host: Host, debt: Debt) -> Iterator[None]:
        """A restart of a unit that serves: no requests reach the host meanwhile, and when it is over they do again.

        An ingress host that cannot be asked is told, and stops nothing. Raises HostFailed where no other server is
        ready, or where the restarted one is not found ready; what was taken out is put back, whatever happens.
        """
        out: list[_Ingress] = []
        try:
            self._take_out(self._of(host, debt), host, out)
            yield
        except BaseException:
            self._each(out, lambda one: one.say("back", host.name, 0))
            raise
        if out:
            self._put_back(out, host)

    def close(self) -> None:
        """Ends the connections."""
        for one in (self._ingress or {}).values():
            one.way.close()
        self._ingress = None

    def _of(self, host: Host, debt: Debt) -> list[_Ingress]:
        if debt.action != "restart":
            return []
        serving = [
            name
            for name, want in self._wants.items()
            if want.upstream.role in host.roles and debt.unit in want.upstream.units
        ]
        if serving and self._ingress is None:
            ways = connections(self._hosts, self._access)
            self._ingress = {name: _Ingress(want, ways[name]) for name, want in self._wants.items()}
        return [one for name, one in (self._ingress or {}).items() if name in serving]

    def _take_out(self, ingress: list[_Ingress], host: Host, out: list[_Ingress]) -> None:
        if not ingress:
            return
        self._record.phase(host.name, "drain", ", ".join(one.name for one in ingress))
        said = self._each(ingress, lambda one: one.say("out", host.name, one.want.drain_s))
        out += [one for one in ingress if said.get(one.name, "").startswith("out ")]
        for one in out:
            if left := int(said[one.name].removeprefix("out ")):
                self._record.warning(f"{one.name}: {left} requests are still in work on {host.name} after its drain")
        if alone := [one.name for one in ingress if said.get(one.name) == "alone"]:
            what = f"no other server is ready on {', '.join(alone)}: its restart would leave nobody to answer"
            remedy = "bring another one back first, or restart the unit there by hand: the next apply sees that it was"
            raise HostFailed(what, where=host.name, remedy=remedy)

    def _put_back(self, out: list[_Ingress], host: Host) -> None:
        self._record.phase(host.name, "return", ", ".join(one.name for one in out))
        said = self._each(out, lambda one: one.say("back", host.name, BACK_S))
        if down := {name: word for name, word in said.items() if word.startswith("down")}:
            why = "; ".join(f"{name} finds it {word.removeprefix('down ')}" for name, word in down.items())
            remedy = "compare what the fleet file says of its health with what it answers"
            raise HostFailed(f"it is ready, and yet gets no requests: {why}", where=host.name, remedy=remedy)

    def _each(self, ingress: list[_Ingress], say: Callable[[_Ingress], str]) -> dict[str, str]:
        """What they said, by name. Who is lost is told once, and asked no more in this run."""
        said: dict[str, str] = {}

        def one(asked: _Ingress) -> None:
            try:
                said[asked.name] = say(asked)
            except HostmusterError as error:
                (self._ingress or {}).pop(asked.name, None)
                asked.way.close()
                self._record.warning(f"{asked.name} cannot be asked to drain servers: {error.what}")

        if ingress:
            Pool(len(ingress)).map(one, ingress)
        return said
