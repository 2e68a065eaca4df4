"""How the engine reaches hosts: user, key, pinned host keys, the sudo password. Held in memory only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paramiko import PKey

from hostmuster.model.fleet import Host

CONNECT_S = 10


@dataclass(frozen=True)
class Access:
    """`user` None: each host's automation user. `key` None: the operator's own agent and key files."""

    known_hosts: Path
    key: PKey | None = field(default=None, repr=False)
    user: str | None = None
    sudo_password: str | None = field(default=None, repr=False)

    def user_on(self, host: Host) -> str:
        """Who logs in there."""
        return self.user or host.user

    def pyinfra_data(self, host: Host) -> Mapping[str, Any]:
        """The host's data for pyinfra's SSH connector. Host keys are pinned, and no ssh_config is heeded."""
        limits = {"banner_timeout": CONNECT_S, "auth_timeout": CONNECT_S}
        chosen = {} if self.key is None else {"pkey": self.key, "look_for_keys": False, "allow_agent": False}
        return {
            "ssh_hostname": host.address,
            "ssh_port": host.port,
            "ssh_user": self.user_on(host),
            "ssh_known_hosts_file": str(self.known_hosts),
            "ssh_strict_host_key_checking": "yes",
            "ssh_config_file": "/dev/null",
            "ssh_paramiko_connect_kwargs": {**limits, **chosen},
        }
