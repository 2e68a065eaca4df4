"""The task that makes a bare host a member; here the person at the terminal is asked whose host key that is."""

from __future__ import annotations

from collections.abc import Mapping

from hostmuster.errors import Refused
from hostmuster.ssh.host_key import fingerprint as checked
from hostmuster.tasks.events import Json, listed, text_of
from hostmuster.tasks.fleet import fleet_task
from hostmuster.tasks.job import Job, Options
from hostmuster.tasks.prompt import seen, somebody_is_there, typed


@fleet_task(
    host="the host, as the fleet file names it",
    fingerprint="its host key's, SHA256:... as ssh-keygen -l prints it: pin the key if it is this one",
    replace="it was rebuilt: its new host key takes the place of the pinned one, once confirmed",
)
def onboard(options: Options, host: str, fingerprint: str | None = None, replace: bool = False) -> Job:
    """The whole checklist on a bare host: host key, bootstrap, apply and proof; typed again it goes on where it was."""
    if fingerprint is not None:
        checked(fingerprint, "--fingerprint")
    elif somebody_is_there(options):
        fingerprint = _confirmed(host, options.job("host_key", hosts=(host,)), replace)
    return options.job("onboard", hosts=(host,), fingerprint=fingerprint, replace=replace)


def _confirmed(host: str, question: Job, replace: bool) -> str | None:
    """The fingerprint a person said yes to; None where there is nothing to ask, or nothing that may be answered.

    Raises Refused for any other answer.
    """
    hosts = seen(question).get("hosts")
    key = hosts.get(host) if isinstance(hosts, Mapping) else None
    if not isinstance(key, Mapping) or key.get("known") is True or (key.get("pinned") and not replace):
        return None
    what = "its host key was not confirmed; nothing was touched"
    typed(_question(host, key), "yes", Refused(what, where=host, remedy="type the whole word: yes"))
    return text_of(key.get("fingerprint"))


def _question(host: str, key: Mapping[str, Json]) -> list[str]:
    pinned = [text_of(one) for one in listed(key.get("pinned"))]
    lines = [f"{host} ({key.get('address')}) presents this host key:", f"    {key.get('key')}"]
    lines += ["in place of the pinned one:", *(f"    {one}" for one in pinned)] if pinned else []
    return [*lines, "Compare it with what the host's own console, or your provider, shows. Is it that key? (yes/no) "]
