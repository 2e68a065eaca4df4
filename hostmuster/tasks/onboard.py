"""The task that makes a bare host a member; here the person at the terminal is asked whose host key that is."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from hostmuster.errors import HostFailed, HostmusterError, Refused
from hostmuster.ssh.host_key import fingerprint as checked
from hostmuster.tasks.engine import asked
from hostmuster.tasks.events import Failed, Json, listed, text_of
from hostmuster.tasks.fleet import fleet_task
from hostmuster.tasks.job import Job, Options


@fleet_task(
    host="the host, as the fleet file names it",
    fingerprint="its host key's, SHA256:... as ssh-keygen -l prints it: pin the key if it is this one",
    replace="it was rebuilt: its new host key takes the place of the pinned one, once confirmed",
)
def onboard(options: Options, host: str, fingerprint: str | None = None, replace: bool = False) -> Job:
    """The whole checklist on a bare host: host key, bootstrap, apply and proof; typed again it goes on where it was."""
    if fingerprint is not None:
        checked(fingerprint, "--fingerprint")
    elif not options.yes and sys.stdin.isatty() and sys.stderr.isatty():
        fingerprint = _confirmed(host, options.job("host_key", hosts=(host,)), replace)
    return options.job("onboard", hosts=(host,), fingerprint=fingerprint, replace=replace)


def _confirmed(host: str, question: Job, replace: bool) -> str | None:
    """The fingerprint a person said yes to; None where there is nothing to ask, or nothing that may be answered.

    Raises Refused for any other answer.
    """
    end = asked(question)
    if isinstance(end, Failed):
        raise _as_error(end)
    hosts = end.document.get("hosts")
    seen = hosts.get(host) if isinstance(hosts, Mapping) else None
    if not isinstance(seen, Mapping) or seen.get("known") is True or (seen.get("pinned") and not replace):
        return None
    _show(host, seen)
    try:
        answer = input()
    except EOFError:
        answer = ""
    if answer.strip() != "yes":
        what = "its host key was not confirmed; nothing was touched"
        raise Refused(what, where=host, remedy="type the whole word: yes")
    return text_of(seen.get("fingerprint"))


def _show(host: str, seen: Mapping[str, Json]) -> None:
    pinned = [text_of(key) for key in listed(seen.get("pinned"))]
    lines = [f"{host} ({seen.get('address')}) presents this host key:", f"    {seen.get('key')}"]
    lines += ["in place of the pinned one:", *(f"    {key}" for key in pinned)] if pinned else []
    lines += ["Compare it with what the host's own console, or your provider, shows. Is it that key? (yes/no) "]
    print("\n".join(lines), end="", file=sys.stderr, flush=True)


def _as_error(end: Failed) -> HostmusterError:
    """The engine's words and exit code, once more as an error."""
    return Refused(end.text) if end.exit == Refused.exit_code else HostFailed(end.text)
