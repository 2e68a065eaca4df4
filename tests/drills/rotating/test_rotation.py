"""A signing key turns on four hosts under load; and how the usual procedure fares there."""

from __future__ import annotations

import io
import json
import shutil
import tarfile
from pathlib import Path

import pytest

from hostmuster.secrets import ring_text, rsa_key
from hostmuster.secrets.generation import Generation, of_store
from hostmuster.secrets.reader import Reader
from hostmuster.secrets.ring import Ring, RingKey
from hostmuster.secrets.store import Store
from hostmuster.secrets.value import Secret
from tests.drills.rotating.signers import HOSTS, Signers
from tests.lab.backends.backends import READERS


def test_no_token_fails_through_a_whole_rotation(signers: Signers) -> None:
    signers.declare()
    (before,) = signers.signing()
    with signers.under_load() as probed:
        done = signers.fleet.run("secrets.rotate", "signing", "--through", "--figures", str(signers.figures))
    assert done.exit == 0, done.errors
    evidence = json.loads(Path(done.document["evidence"]).read_text())
    assert (evidence["verdict"], evidence["requirement"], evidence["not_run"]) == ("passed", "K4", [])
    assert evidence["probed"]["failed"] == 0 < sum(evidence["probed"]["verified"].values())
    switches = [step["hosts"] for step in evidence["steps"] if "hosts" in step]
    assert [set(hosts) for hosts in switches] == [set(HOSTS)] * 3
    assert probed.verified > 1000
    assert probed.failed == 0, probed.document
    (after,) = signers.signing()
    assert after != before
    assert signers.served() == [(after,)] * 4
    assert all(step["skew_s"] < 0.1 for step in done.document["steps"] if step.get("skew_s") is not None)
    assert signers.fleet.run("verify").exit == 0


def test_each_step_is_refused_before_the_one_before_it_is_proved(signers: Signers) -> None:
    signers.declare()
    for early, said in (("promote", "no rotation is open"), ("retire", None)):
        done = signers.fleet.run(f"secrets.{early}", "signing")
        assert done.exit == (3 if said else 0)
        assert said is None or said in done.errors
    assert signers.fleet.run("secrets.rotate", "signing").exit == 0
    assert signers.fleet.run("secrets.retire", "signing").exit == 3
    assert signers.fleet.run("secrets.promote", "signing").exit == 0
    assert "a rotation is open" in (second := signers.fleet.run("secrets.rotate", "signing")).errors
    assert second.exit == 3
    early_retire = signers.fleet.run("secrets.retire", "signing")
    assert early_retire.exit in (0, 3)
    assert early_retire.exit == 0 or "may live" in early_retire.errors
    done = signers.fleet.run("secrets.rotate", "signing", "--through")
    assert done.exit == 0, done.errors
    assert len(signers.ring().keys) == 1


def test_the_usual_procedure_fails_tokens_while_it_goes_on(
    signers: Signers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each replica in turn gets the new key, and the old one in its ring, at the same time (K4: do better)."""
    signers.declare()
    monkeypatch.setenv("HOME", str(signers.fleet.home))
    generation = by_the_document(signers, tmp_path)
    with signers.under_load() as probed:
        for host in HOSTS:
            give_by_hand(signers, host, generation)
    assert probed.failed > 0, probed.document
    for host in HOSTS:
        back = 'ln -sfn "$(cat /root/was)" /var/lib/hostmuster/current && systemctl restart workload'
        assert signers.lab.run(host, back).ok
    done = signers.fleet.run("secrets.rollout")
    assert done.exit == 0, done.errors


def by_the_document(signers: Signers, folder: Path) -> Generation:
    """A backend's files with a new key that signs and the old one in the ring, from a copy of the store."""
    copy = folder / "lab.yml"
    shutil.copy(signers.fleet.folder / "secrets" / f"{signers.fleet.name}.yml", copy)
    store = Store.read(copy).turn("signing", _both_at_once)
    return of_store(store, {"any": {"backend": Reader.model_validate(READERS["backend"])}}, "automation-key")


def _both_at_once(value: Secret) -> Secret:
    ring = ring_text.parsed(value.text(), "the ring")
    return ring_text.written(Ring(RingKey(ring.next_kid, rsa_key.generate()), None, (ring.current,)))


def give_by_hand(signers: Signers, host: str, generation: Generation) -> None:
    """One host's own generation, switched and restarted at once.

    It has the number of the one that it replaces: with a lower one the host's start gate, which looks at its peers once
    a minute, would rightly stop the service.
    """
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for path, content in generation.on("any", signers.number(host)).items():
            member = tarfile.TarInfo(path)
            member.size, member.mode = len(content), 0o600
            archive.addfile(member, io.BytesIO(content))
    folder = "/var/lib/hostmuster/generations/by-hand"
    script = f"""set -e
        readlink /var/lib/hostmuster/current >/root/was
        cp -a /var/lib/hostmuster/current/. {folder}
        tar -x --overwrite --no-same-owner -C {folder}
        ln -sfn {folder} /var/lib/hostmuster/current
        systemctl restart workload"""
    done = signers.lab.run(host, script, stdin=packed.getvalue())
    assert done.ok, done.stderr
    signers.comes_by_itself(host)
