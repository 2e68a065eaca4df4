"""A fleet as an inventory of plain pyinfra: one group a role, plain values only, nothing secret.

pyinfra makes a group of every list that an inventory file leaves at its top, and prints all host data in
debug-inventory; so there is nothing but these groups, and no model and no value of the secrets store in them: of
the key that logs in, the public half alone.
Items' settings are not part of it: deploys/site.py takes them, checked, from the fleet.
"""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

from hostmuster.engine.automation import AUTOMATION_KEY
from hostmuster.engine.store_key import StoreKey
from hostmuster.errors import HostmusterError
from hostmuster.lab.of_fleet import require_up
from hostmuster.model.fleet import Fleet, Host
from hostmuster.model.inventory import load_fleet
from hostmuster.project import Project
from hostmuster.secrets.chosen import has_store, open_store
from hostmuster.ssh import pin_file

Login = dict[str, StoreKey | bool]
Plain = str | int | bool | list[str] | Login
Group = list[tuple[str, dict[str, Plain]]]


def groups(file: str) -> dict[str, Group]:
    """The groups for an inventory file (its `__file__`): it reads the fleet of its own name beside it.

    Says every mistake on standard error and ends the process with the error's exit code, since pyinfra would
    show a traceback instead. So it does while a lab is down: nothing may look for its addresses elsewhere.
    """
    # What a connection fails with is in pyinfra's own error, by host; paramiko would add its traceback to it.
    logging.getLogger("paramiko").addHandler(logging.NullHandler())
    path = Path(file).resolve()
    project = Project(path.parent.parent)
    try:
        pins = pin_file.read(project.known_hosts(path.stem))
        fleet = load_fleet(project, path.stem, schemas=None, pins=pins)
        if fleet.lab:
            require_up(fleet.name)
        return groups_of(project, fleet, _login(project, fleet))
    except HostmusterError as error:
        print(error, file=sys.stderr)
        raise SystemExit(error.exit_code) from error


def groups_of(project: Project, fleet: Fleet, login: Login | None = None) -> dict[str, Group]:
    """One group a role; a host of several roles stands in each with the same data."""
    roles = dict.fromkeys(role for host in fleet.hosts.values() for role in host.roles)
    return {role: [(host.name, host_data(project, host, login)) for host in fleet.with_role(role)] for role in roles}


def host_data(project: Project, host: Host, login: Login | None = None) -> dict[str, Plain]:
    """What pyinfra's SSH connector needs, and the host's own facts.

    Host keys are the fleet's pinned ones and an unknown one is refused; no ssh_config is heeded. The key that logs
    in is the file in $HOSTMUSTER_SSH_KEY, else `login`, else the agent's and the operator's default ones.
    """
    key = os.environ.get("HOSTMUSTER_SSH_KEY")
    own: dict[str, Plain] = {"ssh_key": key} if key else {"ssh_paramiko_connect_kwargs": login} if login else {}
    return {
        "ssh_hostname": host.address,
        "ssh_port": host.port,
        "ssh_user": host.user,
        "ssh_known_hosts_file": str(project.known_hosts(host.fleet.name)),
        "ssh_strict_host_key_checking": "yes",
        "ssh_config_file": "/dev/null",
        **own,
        "_sudo": True,
        "fleet": host.fleet.name,
        "lab": host.fleet.lab,
        "debian": host.debian,
        "roles": list(host.roles),
    }


def _login(project: Project, fleet: Fleet) -> Login | None:
    """The store's automation key and no other; None where there is no store, or no such key in it."""
    if not has_store(project, fleet.name):
        return None
    store = open_store(project, fleet.name)
    if AUTOMATION_KEY not in store.names():
        return None
    return {"pkey": StoreKey(store), "allow_agent": False, "look_for_keys": False}
