"""Each line of K1's table made wrong on one replica: secrets.check names the replica and the line, nothing else."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hostmuster.lab.lab import Lab
from hostmuster.secrets import rsa_key
from hostmuster.secrets.kinds import credential, fernet
from tests.lab.backends.backends import HOSTS
from tests.lab.preflight.replicas import ONE, OTHER, RENDERER, UNIT, Replicas, misses, shared_volume, states

FOLDER = "/srv/artefacts"
OWN = "LoadCredential=render-credential:/var/lib/hostmuster/current/backend/render-credential"
WRITABLE = f"ReadWritePaths=-{FOLDER}"


def test_another_signing_key_is_found_by_file_and_by_token(replicas: Replicas) -> None:
    lab, strange = replicas.lab, rsa_key.generate().text()
    assert lab.run(OTHER, "umask 077; cat >/run/strange.pem", stdin=strange).ok
    try:
        with replicas.wrong(OTHER, directives=f"LoadCredential=\nLoadCredential=signing-key:/run/strange.pem\n{OWN}"):
            done = replicas.check()
    finally:
        lab.run(OTHER, "rm -f /run/strange.pem")
    found = misses(done)
    assert set(found) == {(ONE, "signing key"), (OTHER, "signing key")}
    mine = found[OTHER, "signing key"]
    assert f"{OTHER}, {UNIT}, signing-key: its process has another value than the generation" in mine
    assert "its process serves" in mine
    assert f"it publishes no key that verifies the tokens of {ONE}" in mine
    assert f"it publishes no key that verifies the tokens of {OTHER}" in found[ONE, "signing key"]
    assert strange.splitlines()[3] not in done.output + done.errors


def test_a_credential_that_a_running_unit_does_not_have_is_missed(replicas: Replicas) -> None:
    value = replicas.fleet.hostmuster("secrets.show", "render", "--reveal").output
    given = {"RENDER_SERVICE_CREDENTIAL": value, "RENDER_SERVICE_CREDENTIAL_FILE": ""}
    with replicas.wrong(ONE, RENDERER, env=given, directives="LoadCredential="):
        done = replicas.check()
    assert done.exit == 3
    said = f"{ONE}, {RENDERER}, render-credential: its process was not given it"
    assert misses(done) == {(ONE, "renderer credential"): said}


def test_another_fernet_key_is_named(replicas: Replicas) -> None:
    with replicas.wrong(ONE, env={"AI_SECRET_ENCRYPTION_KEY": fernet.generate("other").text()}):
        done = replicas.check()
    said = f"{ONE}, {UNIT}, AI_SECRET_ENCRYPTION_KEY: its process has another value than the generation"
    assert misses(done) == {(ONE, "Fernet key"): said}


def test_a_renderer_with_another_credential_than_the_backends_is_named(replicas: Replicas) -> None:
    made = credential.KIND.generate
    assert made is not None
    assert replicas.lab.run(OTHER, "umask 077; cat >/run/other", stdin=made("other").text()).ok
    drop_in = "LoadCredential=\nLoadCredential=render-credential:/run/other"
    try:
        with replicas.wrong(OTHER, RENDERER, directives=drop_in):
            done = replicas.check()
    finally:
        replicas.lab.run(OTHER, "rm -f /run/other")
    said = f"{OTHER}, {RENDERER}, render-credential: its process has another value than the generation"
    assert misses(done) == {(OTHER, "renderer credential"): said}


def test_two_redis_servers_are_told_of_both_replicas(replicas: Replicas) -> None:
    with replicas.wrong(ONE, env={"REDIS_URL": replicas.redis_url(ONE)}):
        done = replicas.check()
    found = misses(done)
    assert set(found) == {(ONE, "Redis"), (OTHER, "Redis")}
    assert f"it does not see there what {OTHER} left: they do not share it" in found[ONE, "Redis"]
    assert f"it does not see there what {ONE} left: they do not share it" in found[OTHER, "Redis"]
    assert replicas.password not in done.output + done.errors


def test_a_redis_that_refuses_the_password_or_is_not_there_is_a_miss(replicas: Replicas) -> None:
    with replicas.wrong(ONE, env={"REDIS_URL": replicas.redis_url(OTHER, "hJ7wQ2mZxK9pR4tV")}):
        done = replicas.check()
    assert "Redis refuses it: WRONGPASS" in misses(done)[ONE, "Redis"]
    assert "hJ7wQ2mZxK9pR4tV" not in done.output + done.errors
    replicas.lab.run(OTHER, "systemctl stop redis-server")
    try:
        away = replicas.check()
    finally:
        replicas.lab.run(OTHER, "systemctl start redis-server")
    assert misses(away)[ONE, "Redis"] == f"{ONE}, REDIS_URL: Redis is not reached: Connection refused"


def test_nothing_of_a_check_is_left_in_redis_and_no_argument_tells_the_password(replicas: Replicas) -> None:
    with argv_of(replicas.lab, HOSTS) as seen:
        done = replicas.check()
    assert done.exit == 0, done.errors
    assert any("hostmuster" in text for text in seen)
    assert not any(replicas.password in text for text in seen)
    cli = f"export REDISCLI_AUTH=$(cat); redis-cli -h {replicas.lab.host(OTHER).machine.address} --scan"
    assert replicas.lab.run(OTHER, cli, stdin=replicas.password).stdout == ""


@pytest.fixture
def volume(replicas: Replicas) -> Iterator[Replicas]:
    """They keep their files in a folder that is said to be shared."""
    values = replicas.fleet.settings["env_files"]["files"]["backend"]["values"]
    before = dict(values)
    replicas.fleet.settings["secrets"]["shared_volumes"] = {"backend": FOLDER}
    replicas.declare(ASSET_STORAGE_DRIVER="local", OBJECT_STORAGE_SHARED_VOLUME=True)
    try:
        replicas.say("apply")
        yield replicas
    finally:
        del replicas.fleet.settings["secrets"]["shared_volumes"]
        values.clear()
        replicas.declare(**before)
        replicas.say("apply")


def test_a_shared_volume_is_shown_by_files_of_each_replica_and_none_is_left(volume: Replicas, tmp_path: Path) -> None:
    with (
        shared_volume(volume.lab, tmp_path / "image", FOLDER),
        volume.wrong(ONE, directives=WRITABLE),
        volume.wrong(OTHER, directives=WRITABLE),
    ):
        done = volume.check()
        assert done.exit == 0, done.output
        assert states(done, ONE)["object storage"] == "holds"
        said = [row["said"] for row in done.document["lines"] if row["host"] == OTHER and "volume" in row["said"]]
        assert said == [f"shared volume: it sees what {ONE} left"]
        assert volume.lab.run(ONE, f"ls -A {FOLDER}").stdout.split() == ["lost+found"]


def test_a_folder_of_the_same_path_on_two_disks_is_found_out(volume: Replicas) -> None:
    for host in HOSTS:
        assert volume.lab.run(host, f"install -d -m 1777 {FOLDER}").ok
    try:
        with volume.wrong(ONE, directives=WRITABLE), volume.wrong(OTHER, directives=WRITABLE):
            done = volume.check()
            assert volume.lab.run(ONE, f"ls -A {FOLDER}").stdout == ""
    finally:
        for host in HOSTS:
            volume.lab.run(host, f"rmdir {FOLDER}")
    assert misses(done) == {
        (host, "object storage"): f"{host}, {FOLDER}: it does not see there what {other} left: they do not share it"
        for host, other in (HOSTS, HOSTS[::-1])
    }


def test_a_folder_that_the_process_cannot_write_is_a_miss_though_root_can(volume: Replicas) -> None:
    for host in HOSTS:
        assert volume.lab.run(host, f"install -d -m 1777 {FOLDER}").ok
    try:
        done = volume.check()
    finally:
        for host in HOSTS:
            volume.lab.run(host, f"rmdir {FOLDER}")
    assert misses(done)[ONE, "object storage"] == f"{ONE}, {FOLDER}: Read-only file system"


@contextmanager
def argv_of(lab: Lab, hosts: tuple[str, ...]) -> Iterator[set[str]]:
    """The arguments of every process on these hosts, looked at again and again."""
    seen: set[str] = set()
    over = threading.Event()
    sample = "for _ in $(seq 40); do cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '; done"

    def look(host: str) -> None:
        while not over.is_set():
            seen.add(lab.run(host, sample).stdout)

    watchers = [threading.Thread(target=look, args=(host,)) for host in hosts]
    for watcher in watchers:
        watcher.start()
    try:
        yield seen
    finally:
        over.set()
        for watcher in watchers:
            watcher.join()
