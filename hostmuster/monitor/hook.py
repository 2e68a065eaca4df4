"""Where alerts go, and whether they get there: found before any host is touched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hostmuster.egress.name import permits
from hostmuster.egress.settings import Egress
from hostmuster.errors import InputError, Problem
from hostmuster.model.fleet import Host
from hostmuster.monitor.settings import Webhook
from hostmuster.secrets.reader import readers_of

CREDENTIAL: Final = "url"
"""The name under which the monitor's script finds the address among its unit's credentials."""


@dataclass(frozen=True)
class Hook:
    """The webhook, and the proxy that leads there (None: straight)."""

    webhook: Webhook
    proxy: str | None


def hook(host: Host, webhook: Webhook | None, egress: Egress | None, at: str) -> Hook | None:
    """The host's; None where it has none. `egress`: the host's way out, where one is declared; `at`: file and line.

    Raises InputError: the store has no such secret, it would be sent in clear, or the way out does not lead there.
    """
    if webhook is None or (webhook.optional and webhook.secret not in host.fleet.secrets):
        return None
    problems = [Problem(at, what, remedy) for what, remedy in _wrong(host, webhook, egress)]
    if problems:
        raise InputError(problems)
    return Hook(webhook, f"http://{egress.listen}:{egress.port}" if egress else None)


def is_handed_over(host: Host, hook: Hook, unit: str) -> bool:
    """Whether the monitor's unit reads the address from the host's generation of secrets, so that rollouts bring it."""
    mine = (reader for reader in readers_of(host).values() if reader.unit == unit)
    return any(reader.files.get(CREDENTIAL) == hook.webhook.secret for reader in mine)


def _wrong(host: Host, webhook: Webhook, egress: Egress | None) -> Iterator[tuple[str, str]]:
    name, port = webhook.host, webhook.port
    if webhook.secret not in host.fleet.secrets:
        remedy = f"`hostmuster secrets.set {webhook.secret}`, or declare the webhook `optional: true`"
        yield f"the store has no opaque secret {webhook.secret}", remedy
    if not webhook.is_encrypted and not host.fleet.lab:
        yield f"{webhook.origin} would send it in clear", "its address is a secret: give it https"
    if egress and not permits(egress.allow, name):
        remedy = f"add {name} to egress.allow: from {host.name} nothing else is reached through the proxy"
        yield f"{name} is not on the egress allowlist of {host.name}", remedy
    if egress and webhook.is_encrypted and port not in egress.ports:
        yield f"port {port} is not among the egress ports of {host.name}", f"add {port} to egress.ports"
