"""An operator whose fleet has its secrets in a Vault that answers by the published API."""

from __future__ import annotations

import datetime
import ipaddress
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding

from hostmuster.project import Project
from hostmuster.secrets.any_store import AnyStore
from hostmuster.secrets.chosen import open_store
from hostmuster.secrets.founding import found_in_vault
from tests.unit.secrets.conftest import Operator, operator_in
from tests.unit.secrets.keys import rsa_of, written
from tests.unit.secrets.vault.server import MOUNT, PATH, TOKEN, VaultServer, serve


class VaultOperator(Operator):
    """With a fleet file that names a Vault, and a token where the vault tool keeps it."""

    def declare(self, url: str, **more: str) -> None:
        """The fleet file once more."""
        vault = {"url": url, "mount": MOUNT, "path": PATH, **more}
        fleet = {"fleet": "lab", "secrets": {"vault": vault}, "roles": {}, "hosts": {}}
        (self.project / "inventory" / "lab.yml").write_text(yaml.safe_dump(fleet, sort_keys=False))

    def opened(self) -> AnyStore:
        """The store as it is now."""
        return open_store(Project(self.project), "lab")


@pytest.fixture
def vault() -> Iterator[VaultServer]:
    made = VaultServer()
    server = serve(made)
    yield made
    server.shutdown()
    server.server_close()


@pytest.fixture
def operator(tmp_path: Path, vault: VaultServer, monkeypatch: pytest.MonkeyPatch) -> VaultOperator:
    """Nothing is in the Vault yet."""
    plain = operator_in(tmp_path)
    who = VaultOperator(plain.home, plain.project)
    who.declare(vault.url)
    token = who.home / ".vault-token"
    token.write_text(TOKEN)
    token.chmod(0o600)
    monkeypatch.setenv("HOME", str(who.home))
    for variable in ("VAULT_TOKEN", "VAULT_NAMESPACE", "HOSTMUSTER_FLEET", "HOSTMUSTER_SECRETS"):
        monkeypatch.delenv(variable, raising=False)
    return who


@pytest.fixture
def founded(operator: VaultOperator) -> VaultOperator:
    """As after secrets.init."""
    found_in_vault(Project(operator.project), "lab", ())
    return operator


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """PEM files of a certificate that nobody trusts yet, for 127.0.0.1, and of its key."""
    key = rsa_of(2048, copy=9)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "a Vault")])
    now = datetime.datetime.now(datetime.UTC)
    here = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(here, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, SHA256())
    )
    files = tmp_path / "vault.pem", tmp_path / "vault.key"
    files[0].write_bytes(made.public_bytes(Encoding.PEM))
    files[1].write_text(written(key))
    return files
