"""pyinfra's inventory of hosts that are all reached by SSH."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyinfra.api.host import Host
from pyinfra.api.inventory import Inventory
from pyinfra.connectors.ssh import SSHConnector


class SSHInventory(Inventory):
    """Names of hosts with the SSH connector's data for each.

    pyinfra's own would first search all installed packages for further connectors and import every one.
    """

    def __init__(self, hosts: Mapping[str, Mapping[str, object]]) -> None:
        super().__init__((list(hosts.items()), {}))  # type: ignore[no-untyped-call]

    def make_hosts_and_groups(self, names: Sequence[tuple[str, Mapping[str, object]]], groups: object) -> None:
        """pyinfra's step from data to hosts; there are no groups."""
        self.hosts = {}
        for name, data in names:
            self.host_data[name] = dict(data)
            self.hosts[name] = Host(name, inventory=self, groups=[], connector_cls=SSHConnector)
