"""A Vault that does not answer as it should is named, with what to do; never the token, never a value."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from hostmuster.errors import HostmusterError, Refused
from hostmuster.secrets.value import Secret
from tests.unit.secrets.conftest import Operator
from tests.unit.secrets.vault.conftest import VaultOperator
from tests.unit.secrets.vault.server import TOKEN, VaultServer, Version, serve

VALUE = "correct horse battery staple"


@pytest.mark.parametrize(
    ("status", "errors", "said", "remedy"),
    [
        (503, ["Vault is sealed"], "the Vault is sealed", "vault operator unseal"),
        (503, [], "the Vault does not serve now (503)", "see to that"),
        (403, ["permission denied"], "the token may not read this, or is over", "read on kv/data/hostmuster/lab"),
        (429, ["too many"], "takes no more requests for now (429)", "see to that"),
        (501, ["not initialized"], "the Vault is not initialized", "vault operator init"),
        (500, [f"it says {TOKEN}"], "the Vault failed (InternalServerError)", "its own log says why"),
        (307, [], "no Vault answers there, but a redirect", "secrets.vault.url"),
    ],
)
def test_what_keeps_it_from_being_read_is_named(
    founded: VaultOperator, vault: VaultServer, status: int, errors: list[str], said: str, remedy: str
) -> None:
    vault.say(status, *errors)
    with pytest.raises(Refused) as caught:
        founded.opened()
    message = str(caught.value)
    assert f"{vault.url}, kv/hostmuster/lab: " in message
    assert said in message
    assert remedy in message
    assert TOKEN not in message


def test_a_token_never_follows_a_redirect(founded: VaultOperator, vault: VaultServer) -> None:
    before = len(vault.seen)
    vault.say(307)
    with pytest.raises(Refused):
        founded.opened()
    assert len(vault.seen) == before + 1


def test_a_server_that_is_gone_is_named(operator: VaultOperator) -> None:
    operator.declare("http://127.0.0.1:1")
    with pytest.raises(Refused, match="the Vault cannot be reached"):
        operator.opened()


def test_a_version_that_was_deleted_says_how_it_comes_back(founded: VaultOperator, vault: VaultServer) -> None:
    vault.versions.append(Version(None, "2026-11-29T23:00:00Z"))
    with pytest.raises(Refused, match="version 2 was deleted, 2026-11-29T23:00:00Z") as caught:
        founded.opened()
    assert caught.value.remedy == "vault kv undelete -versions=2 -mount=kv hostmuster/lab"
    vault.versions.append(Version(None))
    with pytest.raises(Refused, match="version 3 was destroyed"):
        founded.opened()


def test_an_engine_without_versions_is_named(founded: VaultOperator, vault: VaultServer) -> None:
    vault.engine = {"type": "kv", "options": {"version": "1"}}
    with pytest.raises(Refused, match="the engine at kv is kv version 1, not kv version 2"):
        founded.opened()
    vault.engine = {"type": "transit", "options": {}}
    with pytest.raises(Refused, match="the engine at kv is transit"):
        founded.opened()


def test_a_write_that_is_not_allowed_has_written_nothing(founded: VaultOperator, vault: VaultServer) -> None:
    vault.refuses_writes = (403, "permission denied")
    with pytest.raises(Refused, match="the token may not update this"):
        founded.opened().set("db-password", Secret(VALUE))
    assert len(vault.versions) == 1


def test_a_write_that_was_not_answered_is_not_told_as_none(founded: VaultOperator, vault: VaultServer) -> None:
    vault.refuses_writes = (500, VALUE)
    with pytest.raises(HostmusterError, match="whether it was written is not known") as caught:
        founded.opened().set("db-password", Secret(VALUE))
    assert caught.value.exit_code == 1
    assert VALUE not in str(caught.value)


def test_what_makes_no_sense_there_is_refused_by_name(founded: VaultOperator) -> None:
    for argv in (["secrets.rekey"], ["secrets.rekey", "--add", "age1x"]):
        refused = founded.run(*argv)
        assert refused.returncode == 3
        assert b"a store in a Vault has no recipients, so there is no rekey" in refused.stderr
    refused = founded.run("secrets.init", "--recipient", "age1x")
    assert (refused.returncode, b"has no recipients" in refused.stderr) == (3, True)


def test_the_token_is_taken_from_the_declared_file_the_environment_or_the_vault_tools_own(
    founded: VaultOperator, vault: VaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = founded.home / ".vault-token"
    own.write_text("hvs.another-token")
    with pytest.raises(Refused, match="may not read"):
        founded.opened()
    monkeypatch.setenv("VAULT_TOKEN", TOKEN)
    founded.opened()
    (founded.project / "token").write_text(f"{TOKEN}\n")
    (founded.project / "token").chmod(0o600)
    monkeypatch.setenv("VAULT_TOKEN", "hvs.another-token")
    founded.declare(vault.url, token_file="token")
    founded.opened()
    (founded.project / "token").chmod(0o644)
    with pytest.raises(Refused, match="others can read this token"):
        founded.opened()
    monkeypatch.delenv("VAULT_TOKEN")
    own.unlink()
    founded.declare(vault.url)
    with pytest.raises(Refused, match="there is no token for the Vault"):
        founded.opened()


def test_a_namespace_is_sent_along(founded: VaultOperator, vault: VaultServer) -> None:
    vault.namespace = "team"
    with pytest.raises(Refused, match="may not read"):
        founded.opened()
    founded.declare(vault.url, namespace="team")
    assert founded.opened().version == 1


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://vault.example.net:8200", "would send token and secrets in clear"),
        ("https://user:pw@vault.example.net", "is not scheme, host and port alone"),
        ("https://vault.example.net/v1/kv", "is not scheme, host and port alone"),
    ],
)
def test_a_url_that_would_give_something_away_is_refused_with_its_line(
    operator: VaultOperator, url: str, said: str
) -> None:
    operator.declare(url)
    with pytest.raises(Refused) as caught:
        operator.opened()
    assert f"inventory/lab.yml:4: secrets.vault.url: `{url}` {said}" in str(caught.value)


def test_its_certificate_is_verified(
    founded: VaultOperator, vault: VaultServer, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain_url = vault.url
    server = serve(vault)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    url = vault.url.replace("http:", "https:")
    try:
        founded.declare(url)
        for variable in ("REQUESTS_CA_BUNDLE", "VAULT_CACERT"):
            monkeypatch.delenv(variable, raising=False)
        with pytest.raises(Refused, match="its certificate is not trusted"):
            founded.opened()
        founded.declare(url, ca=str(certificate[0]))
        assert founded.opened().version == 1
        founded.declare(url, ca="nowhere.pem")
        with pytest.raises(Refused, match="the CA of the Vault is not there"):
            founded.opened()
    finally:
        server.shutdown()
        server.server_close()
        vault.url = plain_url


def test_without_the_extra_it_is_said_what_to_install(founded: Operator, tmp_path: Path) -> None:
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "hvac.py").write_text("raise ModuleNotFoundError('No module named hvac', name='hvac')\n")
    path = f"{tmp_path / 'without'}:{founded.environ['PYTHONPATH']}"
    refused = founded.run("secrets.list", PYTHONPATH=path)
    assert refused.returncode == 3
    assert b"hvac is not installed" in refused.stderr
    assert b"pip install 'hostmuster[vault]'" in refused.stderr
