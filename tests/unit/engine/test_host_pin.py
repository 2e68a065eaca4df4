"""A key is pinned when a person confirmed this one, and never otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from hostmuster.engine.host_pin import Sighting
from hostmuster.errors import Refused
from hostmuster.model.inventory import load_fleet
from hostmuster.project import Project
from hostmuster.ssh import pin_file
from hostmuster.ssh.host_key import HostKey

FLEET = """
fleet: shop
roles: {web: {}}
hosts:
  web-1: {address: 192.0.2.7, port: 2222, debian: 12, roles: [web]}
"""
OLD = HostKey("ssh-ed25519", "AAAAC3NzaC1lZDI1NTE5AAAAIF8N7pZBgYZosRW1NKmSVSA+gkRaaMkqx9IhA55SsYyp")
NEW = HostKey("ssh-ed25519", "AAAAC3NzaC1lZDI1NTE5AAAAIGDzrBKE0mFcBZK0Utxgz8BmBfemTZhojNAnoBxCPYhT")


def seen(folder: Path, *pinned: HostKey) -> Sighting:
    """The host presents NEW while these are pinned."""
    (folder / "inventory").mkdir()
    (folder / "inventory" / "shop.yml").write_text(FLEET)
    host = load_fleet(Project(folder), "shop", {}).hosts["web-1"]
    return Sighting(host, folder / "inventory" / "known_hosts" / "shop", NEW, pinned)


def test_a_confirmed_key_is_pinned_under_its_port(tmp_path: Path) -> None:
    sighting = seen(tmp_path)
    assert sighting.admit(NEW.fingerprint, replace=False)
    assert sighting.file.read_text() == f"[192.0.2.7]:2222 {NEW.kind} {NEW.body}\n"


def test_a_pinned_key_goes_on_and_nothing_is_written(tmp_path: Path) -> None:
    sighting = seen(tmp_path, OLD, NEW)
    assert not sighting.admit(None, replace=False)
    assert not sighting.file.exists()


def test_a_confirmed_new_key_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    sighting = seen(tmp_path, OLD)
    assert sighting.admit(NEW.fingerprint, replace=True)
    assert pin_file.read(sighting.file).keys("[192.0.2.7]:2222") == (NEW,)


@pytest.mark.parametrize(
    ("pinned", "fingerprint", "replace", "told"),
    [
        ((), None, False, "--fingerprint " + NEW.fingerprint),
        ((), None, True, "--replace --fingerprint " + NEW.fingerprint),
        ((), OLD.fingerprint, False, f"not {OLD.fingerprint}"),
        ((NEW,), OLD.fingerprint, False, f"not {OLD.fingerprint}"),
        ((OLD,), NEW.fingerprint, False, OLD.fingerprint),
        ((OLD,), None, True, "is not confirmed"),
        ((OLD,), OLD.fingerprint, True, NEW.fingerprint),
    ],
)
def test_anything_else_is_refused_and_nothing_written(
    tmp_path: Path, pinned: tuple[HostKey, ...], fingerprint: str | None, replace: bool, told: str
) -> None:
    sighting = seen(tmp_path, *pinned)
    with pytest.raises(Refused) as refused:
        sighting.admit(fingerprint, replace=replace)
    assert told in str(refused.value)
    assert refused.value.exit_code == 3
    assert not sighting.file.exists()
