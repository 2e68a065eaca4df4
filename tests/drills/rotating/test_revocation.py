"""A signing key has leaked: its tokens fail on every replica, whatever happens to whoever revokes it."""

from __future__ import annotations

import base64
import copy
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from hostmuster.secrets.ring import RingKey
from tests.drills.rotating.signers import HOSTS, Signers
from tests.lab.failures.trial import engine_of
from tests.lab.fleet_on_lab import FleetOnLab

RUNS = "systemctl is-active -q workload || systemctl is-enabled -q workload"


def verdicts(signers: Signers, token: str, hosts: Sequence[str] = HOSTS) -> set[tuple[int, str]]:
    """What the backends say of a token."""
    told = [signers.ask(host, "/verify", token) for host in hosts]
    return {(status, str(document.get("error", ""))) for status, document in told}


def forged(signers: Signers, leaked: RingKey) -> str:
    """A fresh token as a backend gives it out, signed by whoever has the key that leaked."""
    _, claims, _ = str(signers.ask(HOSTS[0], "/token")[1]["token"]).split(".")
    head = base64.urlsafe_b64encode(json.dumps({"alg": "RS256", "typ": "JWT", "kid": leaked.kid}).encode())
    signed = head.rstrip(b"=") + b"." + claims.encode()
    key = load_pem_private_key(leaked.private.reveal(), None)
    assert isinstance(key, RSAPrivateKey)
    signature = base64.urlsafe_b64encode(key.sign(signed, PKCS1v15(), SHA256())).rstrip(b"=")
    return (signed + b"." + signature).decode()


def test_no_token_of_a_revoked_key_is_taken_anywhere_and_none_of_the_new_one_is_refused(signers: Signers) -> None:
    signers.declare()
    leaked = signers.ring().current
    assert verdicts(signers, forged(signers, leaked)) == {(200, "")}
    with signers.under_load() as probed:
        time.sleep(2)
        done = signers.fleet.run("secrets.revoke", "signing")
        time.sleep(2)
    assert done.exit == 0, done.errors
    print("revoke:", {name: done.document.get(name) for name in ("outage_s", "skew_s", "seconds")}, probed.document)
    assert all(status == 401 and "expired" not in why for status, why in verdicts(signers, forged(signers, leaked)))
    assert all(leaked.kid not in kids for kids in signers.served())
    assert {key.kid for key in signers.ring().keys} == signers.signing()
    # Only tokens of before, of the key that leaked, are refused; and nobody serves meanwhile.
    assert set(probed.document["failures"]) <= {"kept token refused: unknown kid"}, probed.document
    assert set(probed.document["away"]) == set(HOSTS)
    assert 0 < done.document["outage_s"] < 30
    assert done.document["skew_s"] < 0.1
    assert signers.fleet.run("verify").exit == 0


def test_a_run_killed_while_all_stand_still_is_taken_up_from_another_clone(signers: Signers, tmp_path: Path) -> None:
    signers.declare()
    leaked = signers.ring().current
    run = revoking(signers.fleet)
    assert run.stderr is not None
    assert any("rotation stopped on" in line for line in run.stderr)
    os.kill(engine_of(run), signal.SIGKILL)
    run.communicate(timeout=30)
    assert not any(signers.lab.run(host, RUNS).ok for host in HOSTS)
    # Not over a power loss either.
    signers.lab.kill("worker-2")
    signers.lab.start("worker-2")
    assert not signers.lab.run("worker-2", RUNS).ok
    other = clone(signers.fleet, tmp_path / "clone")
    done = other.run("secrets.revoke", "signing")
    assert done.exit == 0, done.errors
    print("resumed:", {name: done.document.get(name) for name in ("outage_s", "skew_s", "seconds")})
    store = Path("secrets") / f"{signers.fleet.name}.yml"
    (signers.fleet.folder / store).write_bytes((other.folder / store).read_bytes())
    assert all(status == 401 for status, _ in verdicts(signers, forged(signers, leaked)))
    assert {key.kid for key in signers.ring().keys} == signers.signing()
    assert all(signers.lab.run(host, "systemctl is-enabled -q workload").ok for host in HOSTS)
    assert signers.fleet.run("check").exit == 0


def clone(fleet: FleetOnLab, folder: Path) -> FleetOnLab:
    """Another operator's: all but what this machine noted of its runs."""
    shutil.copytree(fleet.folder, folder, symlinks=True, ignore=shutil.ignore_patterns("reports"))
    other = copy.copy(fleet)
    other.folder, other.home = folder, folder / "home"
    return other


def revoking(fleet: FleetOnLab) -> subprocess.Popen[str]:
    return subprocess.Popen(
        fleet.command("secrets.revoke", "signing", "--json"),
        cwd=fleet.folder,
        env=fleet.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
