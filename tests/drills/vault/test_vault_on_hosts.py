"""Two hosts whose secrets are in a Vault: brought to them, turned under them, and numbered as the Vault does."""

from __future__ import annotations

import json
import os
from pathlib import Path

from hostmuster.lab.lab import Lab
from tests.drills.rotating.signers import ISSUER
from tests.lab.backends.backends import HOSTS, Backends, BackendsFleet, two_hosts
from tests.lab.fleet_on_lab import machines_of
from tests.unit.secrets.vault.server import MOUNT, PATH, TOKEN, VaultServer, serve


def test_a_ring_in_a_vault_turns_on_hosts_and_no_write_of_another_clone_is_lost(tmp_path: Path) -> None:
    vault, name = VaultServer(), f"test-{os.getpid()}-vault"
    server = serve(vault)
    fleet = BackendsFleet(tmp_path / "project", name)
    fleet.extra = {"secrets": {"vault": {"url": vault.url, "mount": MOUNT, "path": PATH, "token_file": "token"}}}
    token = fleet.folder / "token"
    token.touch(0o600)
    token.write_text(TOKEN)
    try:
        with Lab.up(two_hosts, name=name, known_hosts=fleet.known_hosts, disk_bytes=1 << 30) as lab:
            here = Backends(fleet, lab)
            here.made()
            begun = len(vault.versions)
            assert set(generations(here).values()) == {begun}
            fleet.settings["secrets"]["issuers"] = {"signing": ISSUER}
            fleet.declare(machines_of(lab))
            vault.before_write = lambda: here.say("secrets.set", "of-another-clone", stdin="its own value")
            done = fleet.run("secrets.rotate", "signing", "--through")
            assert done.exit == 0, done.errors
            # The other clone's version, and three of the rotation: published, promoted, retired.
            assert len(vault.versions) == begun + 4
            assert set(generations(here).values()) == {len(vault.versions)}
            assert vault.newest["secrets"]["of-another-clone"]["value"] == "its own value"
            assert {here.ask(host, "/token")[1]["kid"] for host in HOSTS} == {"signing-2"}
            vault.say(503, "Vault is sealed")
            sealed = fleet.run("secrets.rollout")
            assert (sealed.exit, "the Vault is sealed" in sealed.errors) == (3, True)
    finally:
        server.shutdown()
        server.server_close()
    assert not [path for path in fleet.folder.rglob("*") if path.is_file() and path != token and holds_token(path)]


def generations(here: Backends) -> dict[str, int]:
    """By host, as secrets.list tells."""
    numbers: dict[str, int] = json.loads(here.fleet.hostmuster("secrets.list", "--json").output)["hosts"]
    return numbers


def holds_token(path: Path) -> bool:
    """Whether the operator's token stands in the file."""
    return TOKEN.encode() in path.read_bytes()
