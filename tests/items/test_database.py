"""The database item and the queue that stands on it: who may come in, what is refused before any host is touched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hostmuster.errors import InputError
from hostmuster.resources.file import File
from tests.items import project
from tests.items.project import compiled, fleet, resource

PASSWORD = {"unit": "database-role.service", "files": {"password": "database"}}
QUEUE = {"unit": "workload.service", "files": {"database-password": "database"}, "beside": "server"}
# The test's two hosts: server-1 has the data, worker-1 (Debian 13) comes in.
SHARED: dict[str, Any] = {
    "database": {"role": "server", "clients": ["worker"]},
    "secrets": {"readers": {"role": PASSWORD, "queue": QUEUE}},
}


def files(tmp_path: Path, **database: Any) -> dict[str, str]:
    """The server's configuration: path to text."""
    part = compiled(tmp_path, "database", SHARED | {"database": SHARED["database"] | database})
    return {
        one.path: one.content.decode() for one in part.resources if isinstance(one, File) and "postgresql/1" in one.path
    }


def test_only_hosts_of_the_declared_roles_come_in_and_only_by_scram_over_tls(tmp_path: Path) -> None:
    rules = [line for line in files(tmp_path)["/etc/postgresql/15/main/pg_hba.conf"].splitlines() if line[0] != "#"]
    assert rules == [
        "local all postgres peer",
        "hostssl service service 192.0.2.12/32 scram-sha-256 # worker-1",
    ]


def test_the_server_listens_on_its_private_address_and_keeps_what_it_acknowledges(tmp_path: Path) -> None:
    lines = files(tmp_path, port=5433)["/etc/postgresql/15/main/conf.d/hostmuster.conf"].splitlines()
    wanted = ("listen_addresses = '192.0.2.11'", "port = 5433", "fsync = on", "synchronous_commit = on")
    assert set(wanted) | {"full_page_writes = on", "password_encryption = scram-sha-256"} <= set(lines)


def test_no_password_is_in_any_file_or_command(tmp_path: Path) -> None:
    part = compiled(tmp_path, "database", SHARED)
    unit = resource(part, "file /etc/systemd/system/database-role.service").content.decode()
    (start,) = [line for line in unit.splitlines() if line.startswith("ExecStart=")]
    assert start == "ExecStart=/bin/sh /usr/local/lib/hostmuster/database-role.sh service"


def test_a_client_knocks_and_others_are_to_be_refused(tmp_path: Path) -> None:
    (knock,) = compiled(tmp_path, "database", SHARED, host="worker-1").effects
    assert knock.name == "the database lets this host in by password (192.0.2.11:5432)"
    assert knock.peer == "server-1"
    other = SHARED | {"database": {"role": "server", "clients": ["server"]}}
    (knock,) = compiled(tmp_path, "database", other, host="worker-1").effects
    assert (knock.name, knock.cost) == ("the database keeps this host out", "deep")


@pytest.mark.parametrize(
    ("database", "said"),
    [
        ({"level": "external"}, "the level external without an address"),
        ({"address": "192.0.2.50"}, "the level single with an address"),
        ({"level": "patroni"}, "patroni"),
        ({"name": "postgres"}, "`postgres` is no name for a database here"),
        ({"name": "a b; DROP"}, "is no name for a database here"),
    ],
)
def test_a_database_that_is_nowhere_or_has_another_ones_name_is_refused(
    tmp_path: Path, database: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError) as caught:
        fleet(tmp_path, {"database": database})
    assert said in str(caught.value)


def test_two_servers_of_one_database_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hosts = {name: host | {"roles": [*host["roles"], "both"]} for name, host in project.HOSTS.items()}
    monkeypatch.setattr(project, "HOSTS", hosts)
    monkeypatch.setattr(project, "ROLES", {**project.ROLES, "both": {}})
    with pytest.raises(InputError, match="2 hosts have the role both, and the level single is one server"):
        compiled(tmp_path, "database", {**SHARED, "database": {"role": "both"}})


def test_a_role_without_a_password_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"server-1: no secret is the password of the database's role"):
        compiled(tmp_path, "database", {"database": SHARED["database"]})


def test_a_queue_without_a_database_or_outside_of_its_clients_is_refused(tmp_path: Path) -> None:
    for settings in ({}, SHARED):  # server-1 is not among the clients
        with pytest.raises(InputError, match=r"server-1: units\.workload\.queue without a database for this host"):
            compiled(tmp_path, "units", {**settings, "units": {"workload": {"queue": {}}}})


def test_a_server_and_a_worker_get_the_database_without_its_password(tmp_path: Path) -> None:
    workload = {"queue": {"rate_per_s": 7}, "worker": {"slots": 3, "image": "app:1"}, "sweep_s": 9}
    digest = f"sha256:{'0' * 64}"
    declared = {"app:1": {"manifest": digest, "config": digest}}
    settings = {**SHARED, "images": {"declared": declared}, "units": {"workload": workload}}
    part = compiled(tmp_path, "units", settings, host="worker-1", server_1={"units": {"workload": None}})
    url = "postgresql://service@192.0.2.11:5432/service?sslmode=require&channel_binding=require"
    server = resource(part, "file /etc/default/workload").content.decode().splitlines()
    password = 'DATABASE_PASSWORD_FILE="%d/database-password"'
    assert {f'DATABASE_URL="{url}"', 'WORKLOAD_RATE_PER_S="7"', password} <= {*server}
    worker = resource(part, "file /etc/default/workload-worker").content.decode().splitlines()
    assert {f'DATABASE_URL="{url}"', 'WORKLOAD_SLOTS="3"', 'WORKLOAD_IMAGE="app:1"'} <= {*worker}
    unit = resource(part, "file /etc/systemd/system/workload-worker.service").content.decode()
    for line in ("User=service", "SupplementaryGroups=docker", "ReadWritePaths=/srv/service/worktrees"):
        assert line in unit.splitlines()


def test_a_worker_whose_tasks_run_in_an_image_that_is_nowhere_is_refused(tmp_path: Path) -> None:
    settings = {**SHARED, "units": {"workload": {"worker": {"image": "app:1"}}}}
    with pytest.raises(InputError, match="worker-1: no item declares the image app:1 of the workload's tasks"):
        compiled(tmp_path, "units", settings, host="worker-1", server_1={"units": {"workload": None}})


def test_a_worker_that_would_be_killed_before_it_has_stopped_its_tasks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="stop_s 33 is not more than 5 s above drain_s 30"):
        fleet(tmp_path, {"units": {"workload": {"worker": {"drain_s": 30, "stop_s": 33}}}})
