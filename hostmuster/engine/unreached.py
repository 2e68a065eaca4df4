"""A host that could not even be asked: what keeps us out, where, and what to do about it."""

from __future__ import annotations

from paramiko.ssh_exception import NoValidConnectionsError
from pyinfra.api.exceptions import ConnectError

from hostmuster.errors import HostFailed
from hostmuster.model.fleet import Host

_REMEDIES = {
    "Authentication error": "it refuses our key: bootstrap the host, or add the automation key there",
    "SSH host key error": "its host key is not the pinned one: if it was rebuilt, `hostmuster onboard HOST --replace`",
    "No host key": "pin its host key first: `hostmuster onboard HOST` shows it",
    "StrictPolicy": "pin its host key first: `hostmuster onboard HOST` shows it",
}


class Unreached(HostFailed):
    """Nobody answers there, or not in our language: nothing was done, and nothing more need be tried now."""


def unreached(host: Host, error: ConnectError | str) -> Unreached:
    """The error for a host, from pyinfra's or from our own words."""
    what = error if isinstance(error, str) else _said(host, error)
    remedy = next((text for start, text in _REMEDIES.items() if start in what), "")
    return Unreached(what, where=host.name, remedy=remedy or "see that it is up and answers SSH")


def _said(host: Host, error: ConnectError) -> str:
    """What the system said of the network, and of which address; else pyinfra's own words.

    paramiko's sentence says neither: the system's error for each address that it tried is kept in it.
    """
    cause = error.__context__
    tried = list(cause.errors.values()) if isinstance(cause, NoValidConnectionsError) else [cause]
    said = dict.fromkeys(one.strerror or str(one) for one in tried if isinstance(one, OSError))
    return f"no SSH at {host.address}:{host.port} ({', '.join(said)})" if said else str(error.args[0])
