"""secrets.check on hosts: what replicas hold, and what their processes use (K1, K8)."""

from __future__ import annotations

from hostmuster.secrets.moment import FOLDER
from hostmuster.secrets.reader import CURRENT
from tests.lab.backends.backends import HOSTS
from tests.lab.preflight.replicas import ONE, OTHER, UNIT, Replicas, misses, states

ALL = ("signing key", "Fernet key", "renderer credential", "Redis", "replicas")


def test_replicas_that_share_all_lack_nothing_and_are_asked_in_four_execs_each(replicas: Replicas) -> None:
    done = replicas.check()
    assert done.exit == 0, done.errors
    for host in HOSTS:
        assert {line: states(done, host)[line] for line in ALL} == dict.fromkeys(ALL, "holds")
    (unseen,) = [row for row in done.document["lines"] if row["state"] == "NOT_RUN"]
    assert unseen["said"] == "S3: equal S3_* everywhere; whether it answers is not asked"
    assert done.document["execs"] == dict.fromkeys(HOSTS, 4)
    assert done.document["token_life_s"] == 10
    said = {(row["host"], row["line"]): row["said"] for row in done.document["lines"]}
    assert said[ONE, "signing key"] == f"its process takes the tokens of {OTHER}"
    assert said[OTHER, "Redis"] == f"Redis: it sees what {ONE} left"


def test_a_process_with_another_value_than_the_others_is_named_with_the_line(replicas: Replicas) -> None:
    with replicas.wrong(OTHER, env={"S3_BUCKET": "other", "RUNTIME_RSA_KEY_ID": "stranger-1"}):
        done = replicas.check()
    assert done.exit == 3
    found = misses(done)
    assert set(found) == {(OTHER, "object storage"), (OTHER, "signing key"), (ONE, "signing key")}
    assert "S3_BUCKET" in found[OTHER, "object storage"]
    assert f"the process of {UNIT} has another value" in found[OTHER, "object storage"]
    assert "its process has another value than the generation" in found[OTHER, "signing key"]
    assert "its process serves stranger-1 (signs); its generation has signing-1 (signs)" in found[OTHER, "signing key"]
    assert found[ONE, "signing key"] == f"{ONE}, signing: it publishes no key that verifies the tokens of {OTHER}"


def test_a_unit_that_was_started_before_what_it_reads_changed_is_a_miss(replicas: Replicas) -> None:
    lab = replicas.lab
    assert lab.run(ONE, f"touch -h {CURRENT}").ok, "of a switch that changed nothing it reads"
    assert replicas.check().exit == 0
    assert lab.run(ONE, f"touch -h {FOLDER}/{UNIT}").ok
    try:
        done = replicas.check()
    finally:
        replicas.restarted(ONE)
    assert done.exit == 3
    assert f"{ONE}: {UNIT} was started before generation 1 came" in misses(done)[ONE, "replicas"]
    assert replicas.check().exit == 0


def test_an_apply_that_would_restart_a_replica_is_refused_while_one_line_is_missing(replicas: Replicas) -> None:
    files = replicas.fleet.settings["env_files"]["files"]["backend"]["values"]
    before = dict(files)
    started = replicas.lab.run(ONE, f"systemctl show -p ActiveEnterTimestamp {UNIT}").stdout
    replicas.declare(ASSET_STORAGE_DRIVER="local")
    try:
        refused = replicas.fleet.run("apply")
        assert refused.exit == 3
        assert f"{ONE}, ASSET_STORAGE_DRIVER" in refused.errors
        assert "a storage that is not declared to be shared" in refused.errors
        assert replicas.fleet.run("secrets.rollout").exit == 3
        assert replicas.lab.run(ONE, f"systemctl show -p ActiveEnterTimestamp {UNIT}").stdout == started
    finally:
        files.clear()
        replicas.declare(**before)
    assert replicas.fleet.run("apply").exit == 0
