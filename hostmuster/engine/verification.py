"""The token of each replica given to the running process of every other one (K8)."""

from __future__ import annotations

from collections.abc import Mapping

from gevent.pool import Pool
from paramiko import Channel

from hostmuster.engine.connection import Connection
from hostmuster.errors import HostmusterError
from hostmuster.secrets.issuer import Issuer, Served
from hostmuster.secrets.preflight.tokens import Verdicts, verification
from hostmuster.secrets.reader import issuers_of


def verdicts(ring: str, ways: Mapping[str, Connection], served: Mapping[str, Served]) -> Verdicts:
    """One exec a host whose issuer says where tokens are verified; none elsewhere. Tokens go by standard input."""
    asked = {host: url for host in served if (url := _url(ways[host], issuers_of(ways[host].host).get(ring)))}
    told: dict[str, dict[str, str]] = {}

    def one(host: str) -> None:
        tokens = {other: seen.token for other, seen in served.items() if other != host and seen.token}
        if not tokens:
            return
        try:
            said = ways[host].converse(verification(asked[host]), "\n".join(tokens.values()), _read)
        except HostmusterError as error:
            said = error.what
        words = said.split() if said.replace("\n", "").isdigit() else []
        told[host] = {other: words[at] if at < len(words) else "none" for at, other in enumerate(tokens)}

    Pool(max(len(asked), 1)).map(one, list(asked))
    return told


def _url(way: Connection, issuer: Issuer | None) -> str | None:
    return issuer.verify.replace("{address}", way.host.address) if issuer and issuer.verify else None


def _read(channel: Channel) -> str:
    channel.shutdown_write()
    output = b""
    while chunk := channel.recv(65536):
        output += chunk
    return output.decode("utf-8", "replace")
