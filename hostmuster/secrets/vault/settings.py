"""Where a fleet's secrets are in a Vault: `secrets.vault` of the fleet file. Nothing in it is secret."""

from __future__ import annotations

import ipaddress
import re
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from hostmuster.model.types import Seconds, wrong

_PATH = re.compile(r"[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*")
_URL = re.compile(r"https?://[A-Za-z0-9.:\[\]-]+/?")


def _url(value: str) -> str:
    if not _URL.fullmatch(value) or not urlsplit(value).hostname:
        raise wrong(f"`{value[:60]}` is not scheme, host and port alone", "write https://vault.example.net:8200")
    if value.startswith("http:") and not _is_here(urlsplit(value).hostname or ""):
        raise wrong(
            f"`{value[:60]}` would send token and secrets in clear", "write https://; http:// to 127.0.0.1 only"
        )
    return value.rstrip("/")


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _path(value: str) -> str:
    if not _PATH.fullmatch(value) or {".", ".."} & set(value.split("/")):
        raise wrong(f"`{value[:60]}` is no path in a Vault", "words of letters, digits, `_`, `.`, `-`, joined by `/`")
    return value


Path = Annotated[str, AfterValidator(_path), Field(examples=["hostmuster/example"])]


class Vault(BaseModel):
    """`mount`: of a KV engine, version 2; `path`: of the one secret in it that holds all of this fleet.

    `ca`: PEM file of who signed the server's certificate, `token_file`: a file with nothing but the token; both from
    the project's folder, from `~/`, or absolute. `namespace`: as X-Vault-Namespace.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: Annotated[str, AfterValidator(_url), Field(examples=["https://vault.example.net:8200"])]
    path: Path
    mount: Path = "secret"
    namespace: Path | None = None
    ca: Annotated[str, Field(min_length=1)] | None = None
    token_file: Annotated[str, Field(min_length=1)] | None = None
    timeout_s: Seconds = 10.0

    @property
    def shown(self) -> str:
        """The place, as it stands in messages."""
        inside = f"{self.namespace}/" if self.namespace else ""
        return f"{self.url}, {inside}{self.mount}/{self.path}"


class Stores(BaseModel):
    """Where the fleet's secrets are: the SOPS file of its name, unless something else is said."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    vault: Vault | None = None
