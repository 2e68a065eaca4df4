"""A fleet as an inventory of plain pyinfra: one group a role, plain values only, nothing secret.

pyinfra makes a group of every list that an inventory file leaves at its top, and prints all host data in
debug-inventory; so there is nothing but these groups, and no model and no value of the secrets store in them.
Items' settings are not part of it: deploys/site.py takes them, checked, from the fleet.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from hostmuster.errors import HostmusterError
from hostmuster.model.fleet import Fleet, Host, load_fleet
from hostmuster.project import Project

Plain = str | int | bool | list[str]
Group = list[tuple[str, dict[str, Plain]]]


def groups(file: str) -> dict[str, Group]:
    """The groups for an inventory file (its `__file__`): it reads the fleet of its own name beside it.

    Says every mistake on standard error and ends the process with the error's exit code, since pyinfra would
    show a traceback instead.
    """
    path = Path(file).resolve()
    project = Project(path.parent.parent)
    try:
        return groups_of(project, load_fleet(project, path.stem, schemas=None))
    except HostmusterError as error:
        print(error, file=sys.stderr)
        raise SystemExit(error.exit_code) from error


def groups_of(project: Project, fleet: Fleet) -> dict[str, Group]:
    """One group a role; a host of several roles stands in each with the same data."""
    roles = dict.fromkeys(role for host in fleet.hosts.values() for role in host.roles)
    return {role: [(host.name, host_data(project, host)) for host in fleet.with_role(role)] for role in roles}


def host_data(project: Project, host: Host) -> dict[str, Plain]:
    """What pyinfra's SSH connector needs, and the host's own facts.

    Host keys are the fleet's pinned ones and an unknown one is refused; no ssh_config is heeded. The key is
    the agent's or the operator's default one, unless $HOSTMUSTER_SSH_KEY names a file.
    """
    key = os.environ.get("HOSTMUSTER_SSH_KEY")
    return {
        "ssh_hostname": host.address,
        "ssh_port": host.port,
        "ssh_user": host.user,
        "ssh_known_hosts_file": str(project.known_hosts(host.fleet.name)),
        "ssh_strict_host_key_checking": "yes",
        "ssh_config_file": "/dev/null",
        **({"ssh_key": key} if key else {}),
        "_sudo": True,
        "fleet": host.fleet.name,
        "lab": host.fleet.lab,
        "debian": host.debian,
        "roles": list(host.roles),
    }
