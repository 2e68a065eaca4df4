"""A lab: a few real hosts on one machine, up in seconds, each with power and network that can be taken away."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

from hostmuster.errors import HostmusterError, Refused
from hostmuster.lab import image, kernel, package_cache, pins, tool, wreck
from hostmuster.lab.cuts import Cuts
from hostmuster.lab.disk import DEFAULT_BYTES
from hostmuster.lab.folder import LabFolder, Record, lock
from hostmuster.lab.host import GuestHost, Result, each
from hostmuster.lab.machine import Machine, checked, some
from hostmuster.lab.mirror import Mirror
from hostmuster.lab.recipe import recipe
from hostmuster.lab.seed import KeyPair
from hostmuster.lab.slot import claim
from hostmuster.lab.subnet import Subnet
from hostmuster.lab.switch import Switch


def _quiet(_: str) -> None:
    """Nobody listens."""


class Lab:
    """A lab that exists. Made by `Lab.up` or found by `Lab.open`; as a context manager it goes down at the end."""

    def __init__(self, folder: LabFolder, record: Record) -> None:
        self.folder = folder
        self._record = record
        self.subnet = Subnet(record.slot)
        self.switch = Switch(folder, self.subnet)
        self._cuts = Cuts(self.switch)

    @classmethod
    def up(
        cls,
        machines: Callable[[Subnet], Sequence[Machine]] | Sequence[Machine],
        *,
        name: str = "lab",
        known_hosts: Path | None = None,
        disk_bytes: int = DEFAULT_BYTES,
        say: Callable[[str], None] = _quiet,
    ) -> Lab:
        """Make the lab have exactly these machines, all on and answering; those it has already stay as they are.

        The machines' addresses say which network the lab is to own; or `machines` is a function of the network,
        and the lab takes a free one.
        `known_hosts` is rewritten to pin the hosts' keys, now and after each reset.
        Raises Refused before anything is touched, HostFailed for a host that does not boot.
        """
        tool.require()
        folder = LabFolder(name)
        mirror = Mirror.of_this_machine()
        declared = None if callable(machines) else Subnet.holding(some(machines)[0].address).slot
        with lock("machine"):
            record = claim(folder, declared)
            kernel.raise_limits()
            package_cache.ensure(mirror)
        wanted = checked(machines(Subnet(record.slot)) if callable(machines) else machines, Subnet(record.slot))
        suites = dict.fromkeys(machine.suite for machine in wanted)
        images = {suite: image.ensure(recipe(suite, mirror), mirror, say) for suite in suites}
        with folder.locked():
            old = folder.read()
            if old is None:
                raise HostmusterError("the lab was taken down while it came up", where=f"lab {name}")
            new = Record(
                slot=record.slot,
                machines=wanted,
                disk_bytes=old.disk_bytes or disk_bytes,
                known_hosts=str(known_hosts) if known_hosts else old.known_hosts,
            )
            lab = cls(folder, new)
            lab._converge(old, images, say)
        return lab

    @classmethod
    def open(cls, name: str = "lab") -> Lab:
        """A lab that is up. Refused when there is none of that name."""
        folder = LabFolder(name)
        record = folder.read()
        if record is None or not record.machines:
            raise Refused("there is no such lab", where=f"lab {name}", remedy="make it with hostmuster lab.up")
        return cls(folder, record)

    def _converge(self, old: Record, images: Mapping[str, Path], say: Callable[[str], None]) -> None:
        if not self.folder.key.is_file():
            pair = KeyPair.new()
            self.folder.key.with_suffix(".pub").write_text(pair.public + "\n")
            self.folder.key.touch(mode=0o600)
            self.folder.key.write_bytes(pair.private)
        gone = [m for m in old.machines if not any(m.is_same(kept) for kept in self._record.machines)]
        each([GuestHost(m, self.folder, self.subnet) for m in gone], wreck.remove_host)
        if not self.switch.is_on:
            # Its ports are in guests that lost their network for good: they go off with it.
            each(self.hosts.values(), GuestHost.kill)
            self.switch.on()
        # The module may have come since then: Docker on the machine brings it.
        self.switch.clear_bridge()
        self.folder.write(self._record)
        say(f"booting {len(self.hosts)} hosts")
        fresh = [host for host in self.hosts.values() if not host.is_made]
        each(fresh, lambda host: self._make(host, images[host.machine.suite]))
        self.pin()
        each(self.hosts.values(), self._boot)
        each(self.hosts.values(), GuestHost.await_boot)

    @property
    def name(self) -> str:
        """The lab's name; its fleet's too."""
        return self.folder.name

    @property
    def hosts(self) -> dict[str, GuestHost]:
        """The hosts by name, in the order they were given."""
        return {m.name: GuestHost(m, self.folder, self.subnet) for m in self._record.machines}

    @property
    def root_key(self) -> Path:
        """The private key that logs in as root on a bare host."""
        return self.folder.key

    def host(self, name: str) -> GuestHost:
        """One host; Refused for a name the lab does not have."""
        try:
            return self.hosts[name]
        except KeyError:
            raise Refused(
                f"no host named {name}", where=f"lab {self.name}", remedy=f"it has: {', '.join(self.hosts)}"
            ) from None

    def run(self, name: str, command: str, *, stdin: str | bytes = b"", timeout_s: float = 120.0) -> Result:
        """Run a shell command as root on a host, from outside its network and its sshd."""
        return self.host(name).run(command, stdin=stdin, timeout_s=timeout_s)

    def kill(self, name: str) -> None:
        """Take a host's power: unsynced writes are lost, as on a real machine."""
        host = self.host(name)
        with self.folder.locked():
            # Silence first: a dying process's sockets would say goodbye to its clients, and a dead machine does not.
            self._cuts.unplug(host.machine_name)
            host.kill()

    def start(self, name: str, *, wait: bool = True) -> None:
        """Give it power again, with the disk it had. Waits until its sshd answers, unless told not to."""
        host = self.host(name)
        with self.folder.locked():
            if not self.switch.is_on:
                raise HostmusterError("the lab is not up", where=f"lab {self.name}", remedy="hostmuster lab.up")
            self._boot(host)
        if wait:
            host.await_boot()

    def cut(self, name: str, *, peer: str | None = None) -> None:
        """Cut a host off the network, or only from `peer`."""
        host = self.host(name)
        with self.folder.locked():
            if peer is None:
                self._cuts.cut(host.machine_name, host.cut_mark)
            else:
                self._cuts.cut_between(host.machine_name, self.host(peer).machine_name)

    def heal(self, name: str) -> None:
        """Undo every cut of this host."""
        host = self.host(name)
        with self.folder.locked():
            self._cuts.heal(host.machine_name, host.cut_mark)

    def reset(self, *names: str) -> None:
        """Back to bare: power off, a new disk, another machine id and host key (pinned anew), and on again."""
        hosts = [self.host(name) for name in names or self.hosts]
        with self.folder.locked():
            each(hosts, GuestHost.kill)
            for host in hosts:
                self._cuts.heal(host.machine_name, host.cut_mark)
            each(hosts, lambda host: self._make(host, host.image))
            self.pin()
            each(hosts, self._boot)
        each(hosts, GuestHost.await_boot)

    def pin(self) -> None:
        """Write the hosts' keys into the fleet's known_hosts file, if the lab was given one."""
        if self._record.known_hosts:
            keys = {host.machine.address: host.host_key for host in self.hosts.values()}
            pins.write(Path(self._record.known_hosts), keys)

    def down(self) -> None:
        """End the lab and take away all it made."""
        wreck.clear(self.name)

    def __enter__(self) -> Lab:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.down()

    def _make(self, host: GuestHost, tree: Path) -> None:
        host.make(tree, self._record.disk_bytes, self.folder.key.with_suffix(".pub").read_text().strip())

    def _boot(self, host: GuestHost) -> None:
        host.boot(self.switch.namespace)
