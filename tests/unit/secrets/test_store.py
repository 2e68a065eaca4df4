"""What a store holds and takes: names, kinds, public halves, fingerprints."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from hostmuster.errors import HostmusterError, InputError, Refused
from hostmuster.project import Project
from hostmuster.secrets import sshkeys
from hostmuster.secrets.founding import found_store
from hostmuster.secrets.store import Store
from hostmuster.secrets.value import Secret

from .conftest import ROOT, Operator


def test_a_new_store_has_the_ca_and_the_automation_key_with_matching_halves(store: Store) -> None:
    for name, kind in (("ssh-ca", "ssh-ca"), ("automation-key", "ssh-key")):
        assert store.entries[name].kind.name == kind
        assert sshkeys.same_key(sshkeys.public_of(store.value(name), name), store.public()[f"{name}.pub"])


def test_the_engine_opens_it_by_project_and_fleet(operator: Operator, store: Store) -> None:
    opened = Store.open(Project(operator.project), "lab")
    assert opened.names() == ("ssh-ca", "automation-key", "db-password", "api-token")
    assert opened.value("db-password") == Secret("correct horse")


def test_a_store_may_lie_outside_the_repository(
    operator: Operator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "elsewhere" / "stores"
    found_store(outside / "lab.yml", "lab", [], operator.environ, operator.home)
    project = Project(operator.project)
    assert Store.open(project, "lab", outside).path == outside / "lab.yml"
    monkeypatch.setenv("HOSTMUSTER_SECRETS", str(outside))
    assert Store.open(project, "lab").path == outside / "lab.yml"
    assert not (operator.project / "secrets").exists()


def test_a_fleet_without_a_store_is_told_how_to_make_one(operator: Operator) -> None:
    with pytest.raises(Refused, match=r"secrets\.init"):
        Store.open(Project(operator.project), "lab")


def test_an_operators_key_is_public_and_no_secret(store: Store) -> None:
    public = sshkeys.generate("alice@laptop")[1]
    store = store.set("operator/alice", Secret(f"  {public}\n"))
    assert store.public()["operator/alice.pub"] == public
    assert "operator/alice" not in store.confidential()
    assert set(store.confidential()) == {"ssh-ca", "automation-key", "db-password", "api-token"}
    store.set("operator/alice", Secret(sshkeys.generate("alice@desk")[1]))
    assert Store.read(store.path).public()["operator/alice.pub"].endswith("alice@desk")


def test_an_operators_key_made_with_the_sops_tool_is_not_left_out_in_silence(operator: Operator, store: Store) -> None:
    public = sshkeys.generate("bob")[1]
    value = json.dumps({"value": public})
    assert operator.sops("set", str(store.path), '["secrets"]["operator/bob"]', value).returncode == 0
    with pytest.raises(InputError, match=r"operator/bob has no public part\n    write it: secrets\.set operator/bob"):
        Store.read(store.path).public()
    mended = Store.read(store.path).set("operator/bob", Secret(public))
    assert mended.public()["operator/bob.pub"] == public
    assert operator.sops("decrypt", str(store.path)).returncode == 0


def test_a_folder_that_cannot_be_made_is_named(operator: Operator) -> None:
    (operator.project / "secrets").write_text("a file where the folder should be")
    with pytest.raises(HostmusterError, match="the folder cannot be made: File exists"):
        found_store(operator.path, "lab", [], operator.environ, operator.home)


def test_an_own_ca_can_be_brought_along(store: Store) -> None:
    private, public = sshkeys.generate("ours")
    store = store.set("ssh-ca", private)
    assert sshkeys.same_key(store.public()["ssh-ca.pub"], public)
    assert store.fingerprint("ssh-ca") == sshkeys.fingerprint(public)


def test_a_change_to_one_secret_changes_no_line_of_another(store: Store) -> None:
    before = store.path.read_text().splitlines()
    store.set("db-password", Secret("a new one"))
    changed = [line for line in store.path.read_text().splitlines() if line not in before]
    kinds = sorted(line.split(":")[0].strip() for line in changed)
    assert [kind for kind in kinds if kind != "lastmodified"] == ["mac", "names", "value"]


def test_equal_values_are_seen_by_their_fingerprint_and_only_by_readers_of_the_store(
    store: Store, tmp_path: Path
) -> None:
    store = store.set("same", Secret("correct horse"))
    assert store.fingerprint("same") == store.fingerprint("db-password") != store.fingerprint("api-token")
    assert store.fingerprint("same") == Store.read(store.path).fingerprint("same")
    assert store.fingerprint("same") not in store.path.read_text()


@pytest.mark.parametrize(
    "name",
    ["", "Upper", "under_score", "x_unencrypted", "1st", "-a", "a-", "a--b", "a/b/c", "a/", "/a", "a b", "a:b", "a\nb",
     "../up", "no", "null", "true", "é", "a" * 64],
)  # fmt: skip
def test_a_name_that_yaml_sops_or_a_path_could_misread_is_refused(store: Store, name: str) -> None:
    before = store.path.read_bytes()
    with pytest.raises(InputError, match="not a name for a secret"):
        store.set(name, Secret("a value"))
    assert store.path.read_bytes() == before


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (b"", "an empty value"),
        (b"\n", "an empty value"),
        (b"abc", "shorter than 4"),
        (b"  abc  ", "shorter than 4"),
        (b"abc\0def", "NUL"),
        (b"abcd\xff", "not text"),
        (b"x" * 70_000, "70000 bytes"),
    ],
)
def test_a_value_no_consumer_could_carry_is_refused(store: Store, value: bytes, said: str) -> None:
    with pytest.raises(Refused, match=said):
        store.set("new", Secret(value))
    assert "new" not in Store.read(store.path).names()


def test_a_secret_keeps_its_kind(store: Store) -> None:
    with pytest.raises(Refused, match="of kind opaque, not ssh-key"):
        store.set("db-password", sshkeys.generate("x")[0], "ssh-key")
    with pytest.raises(InputError, match="unknown kind `fresh`"):
        store.set("new", Secret("a value"), "fresh")


def test_an_unknown_name_is_answered_with_the_known_ones(store: Store) -> None:
    with pytest.raises(Refused, match="it has: ssh-ca, automation-key, db-password"):
        store.value("db-passwort")


def test_the_file_keeps_its_mode_and_a_new_one_is_readable(store: Store) -> None:
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o644
    store.path.chmod(0o640)
    store.set("db-password", Secret("a new one"))
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o640


def test_a_link_to_a_store_elsewhere_stays_a_link(store: Store, tmp_path: Path) -> None:
    real = tmp_path / "real.yml"
    store.path.rename(real)
    store.path.symlink_to(real)
    Store.read(store.path).set("db-password", Secret("a new one"))
    assert store.path.is_symlink()
    assert Store.read(real).value("db-password").text() == "a new one"


def test_crlf_line_ends_of_a_checkout_do_no_harm(store: Store) -> None:
    store.path.write_bytes(store.path.read_bytes().replace(b"\n", b"\r\n"))
    assert Store.read(store.path).set("db-password", Secret("a new one")).value("db-password").text() == "a new one"


def test_importing_the_store_loads_no_heavy_library() -> None:
    heavy = ("yaml", "cryptography", "pyrage", "pydantic")
    code = f"import sys, hostmuster.secrets.store; print([name for name in {heavy} if name in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
