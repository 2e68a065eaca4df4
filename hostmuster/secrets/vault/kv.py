"""One secret of a KV engine, version 2, read and written through hvac.

Source: https://developer.hashicorp.com/vault/api-docs/secret/kv/kv-v2 (OpenBao's is the same): `data` gives and takes a
version, `options.cas` writes only upon the version that was read, 404 with metadata is a version that was deleted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import hvac
from hvac import exceptions
from pydantic import BaseModel, JsonValue, ValidationError

from hostmuster.errors import HostmusterError, Refused
from hostmuster.secrets.value import Secret
from hostmuster.secrets.vault.complaint import ERRORS, complaint
from hostmuster.secrets.vault.settings import Vault

Data = Mapping[str, JsonValue]


class _Metadata(BaseModel):
    version: int
    deletion_time: str = ""
    destroyed: bool = False


class _Version(BaseModel):
    data: dict[str, JsonValue] | None = None
    metadata: _Metadata


class _Answer(BaseModel):
    data: _Version


class _Mount(BaseModel):
    type: str
    options: dict[str, str] | None = None


class _MountAnswer(BaseModel):
    data: _Mount


@dataclass(frozen=True)
class Kv:
    """The place, and what opens it. What it raises has neither token nor value in it, nor in what caused it."""

    vault: Vault
    token: Secret = field(repr=False)
    verify: bool | str = True

    def read(self) -> tuple[int, Data]:
        """The newest version: its number and its data. Raises Refused with what keeps it from being read."""
        answer: object = None
        refusal: HostmusterError | None = None
        try:
            answer = self._client().secrets.kv.v2.read_secret_version(raise_on_deleted_version=True, **self._place)
        except exceptions.InvalidPath as error:
            answer = error.json
        except ERRORS as error:
            refusal = complaint(error, self.vault, "read")
        if refusal is not None:
            raise refusal
        version = _parsed(answer)
        if version is None:
            raise self._missing(is_json=isinstance(answer, dict))
        if version.data is None:
            raise self._deleted(version.metadata)
        return version.metadata.version, version.data

    def write(self, data: Data, upon: int) -> bool:
        """A new version upon that one (0: there is none yet); False where that is not the newest any more.

        Raises Refused where nothing was written, HostmusterError where nobody knows.
        """
        refusal: HostmusterError | None = None
        answer: object = None
        try:
            answer = self._client().secrets.kv.v2.create_or_update_secret(secret=dict(data), cas=upon, **self._place)
        except exceptions.InvalidRequest as error:
            if any("check-and-set" in str(one) for one in error.errors or ()):
                return False
            refusal = complaint(error, self.vault, "update")
        except ERRORS as error:
            refusal = complaint(error, self.vault, "update")
        if refusal is not None:
            raise refusal
        if not isinstance(answer, dict):
            raise self._stranger()
        return True

    @property
    def _place(self) -> dict[str, str]:
        return {"path": self.vault.path, "mount_point": self.vault.mount}

    def _client(self) -> hvac.Client:
        return hvac.Client(
            url=self.vault.url,
            token=self.token.text(),
            namespace=self.vault.namespace,
            verify=self.verify,
            timeout=self.vault.timeout_s,
            allow_redirects=False,  # the token would go along to wherever one leads
        )

    def _missing(self, *, is_json: bool) -> Refused:
        """Nothing is there: no store yet, no engine of this version, or no Vault."""
        if not is_json:
            return self._stranger()
        mount, engine = self.vault.mount, self._engine()
        if engine not in (None, "kv version 2"):
            what = f"the engine at {mount} is {engine}, not kv version 2"
            remedy = f"vault secrets enable -version=2 -path=NAME kv, or vault kv enable-versioning {mount}"
            return Refused(what, where=self.vault.shown, remedy=remedy)
        return Refused("there is no secrets store", where=self.vault.shown, remedy="make one with secrets.init")

    def _engine(self) -> str | None:
        """What is mounted there, as whoever may use a path below it may ask; None where that is not told."""
        try:
            answer = self._client().adapter.get(f"/v1/sys/internal/ui/mounts/{self.vault.mount}")
            mount = _MountAnswer.model_validate(answer).data
        except (*ERRORS, ValidationError):
            return None
        return f"kv version {(mount.options or {}).get('version', '1')}" if mount.type == "kv" else mount.type

    def _deleted(self, metadata: _Metadata) -> Refused:
        number, place = metadata.version, f"-mount={self.vault.mount} {self.vault.path}"
        if metadata.destroyed:
            remedy = f"vault kv rollback -version=N {place}, to one that is left"
            return Refused(f"version {number} was destroyed", where=self.vault.shown, remedy=remedy)
        remedy = f"vault kv undelete -versions={number} {place}"
        return Refused(f"version {number} was deleted, {metadata.deletion_time}", where=self.vault.shown, remedy=remedy)

    def _stranger(self) -> Refused:
        what = "no Vault answers there, but a redirect or another program"
        return Refused(what, where=self.vault.shown, remedy="name the server itself: secrets.vault.url")


def _parsed(answer: object) -> _Version | None:
    try:
        return _Answer.model_validate(answer).data
    except ValidationError:
        return None
