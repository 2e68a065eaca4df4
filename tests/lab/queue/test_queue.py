"""A queue on two hosts: a server with the database (Debian 12), a worker elsewhere (Debian 13)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hostmuster.lab.machine import Machine
from hostmuster.lab.subnet import Subnet
from tests.lab.own_lab import own_lab
from tests.lab.queue.queue_fleet import Queue, QueueProject

SERVER, WORKER = "server-1", "worker-1"


def two_hosts(net: Subnet) -> list[Machine]:
    """The first has the database, too."""
    return [Machine(SERVER, net.at(11), 12, ("server", "database")), Machine(WORKER, net.at(12), 13, ("worker",))]


@pytest.fixture(scope="module")
def queue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Queue]:
    """One that serves."""
    with own_lab(tmp_path_factory, "queue", two_hosts, QueueProject, 2 << 30) as (fleet, lab):
        here = Queue(fleet, lab)
        here.made()
        yield here


def test_a_task_is_taken_once_for_its_key_and_done_once_by_another_host(queue: Queue) -> None:
    task = queue.give(SERVER, 0.2, key="once")
    assert queue.ask(SERVER, "/tasks", {"key": "once", "seconds": 0.2}) == (200, {"id": task})
    queue.until(lambda: queue.task(SERVER, task)["state"] == "done")
    assert queue.task(SERVER, task) == {"id": task, "state": "done", "worker": WORKER, "host": WORKER, "effects": 1}
    assert queue.ask(SERVER, "/tasks")[1]["duplicated_effects"] == 0


def test_a_worktree_is_told_by_the_host_that_holds_it_alone(queue: Queue) -> None:
    task = queue.give(SERVER, 0)
    queue.until(lambda: queue.task(SERVER, task)["state"] == "done")
    status, told = queue.ask(SERVER, f"/tasks/{task}/worktree", {})
    assert (status, sorted(told["files"])) == (200, ["result", "task.json"])
    assert not queue.lab.run(SERVER, f"test -e /srv/service/worktrees/task-{task}").ok
    assert queue.ask(SERVER, "/tasks/999/worktree", {})[0] == 404


def test_a_database_that_was_away_is_used_again_without_a_restart(queue: Queue) -> None:
    began = [queue.shell(host, f"systemctl show -p MainPID --value {unit}") for host, unit in PROCESSES]
    kept = queue.give(SERVER, 0)
    queue.shell(SERVER, "systemctl stop postgresql@15-main")
    queue.until(lambda: queue.ready(SERVER) == 503)
    assert queue.ask(SERVER, "/health/ready")[1] == {"status": "ok", "database": "not ok"}
    assert queue.ask(SERVER, "/tasks", {"key": "meanwhile", "seconds": 0})[0] == 503
    queue.shell(SERVER, "systemctl start postgresql@15-main")
    queue.until(lambda: queue.ready(SERVER) == 200)
    later = queue.give(SERVER, 0)
    queue.until(lambda: queue.task(SERVER, later)["state"] == "done")
    assert queue.task(SERVER, kept)["effects"] == 1
    assert [queue.shell(host, f"systemctl show -p MainPID --value {unit}") for host, unit in PROCESSES] == began


def test_a_stopped_worker_ends_its_tasks_as_stopped_and_what_waits_is_left(queue: Queue) -> None:
    running = [queue.give(SERVER, 60), queue.give(SERVER, 60)]
    queue.until(lambda: all(queue.task(SERVER, one)["state"] == "running" for one in running))
    waiting = queue.give(SERVER, 0)
    queue.lab.run(WORKER, "systemctl stop workload-worker")
    assert [queue.task(SERVER, one)["state"] for one in (*running, waiting)] == ["stopped", "stopped", "queued"]
    said = queue.shell(WORKER, "journalctl -u workload-worker -o cat -n 30 --no-pager")
    assert "stopped: 0 drained, 2 stopped" in said
    queue.shell(WORKER, "systemctl reset-failed workload-worker; systemctl start workload-worker")
    queue.until(lambda: queue.task(SERVER, waiting)["state"] == "done")


@pytest.mark.parametrize(("host", "unit"), [(SERVER, "workload"), (WORKER, "workload-worker")])
def test_with_a_database_that_is_a_file_of_one_host_nothing_starts(queue: Queue, host: str, unit: str) -> None:
    drop_in = f"/run/systemd/system/{unit}.service.d"
    file = "/run/one-host.env"
    queue.shell(host, f"echo DATABASE_URL=sqlite:////srv/one-host.db >{file}; mkdir -p {drop_in}")
    # systemd itself reads it after those that came before.
    queue.shell(host, f"printf '[Service]\nEnvironmentFile={file}\n' >{drop_in}/one-host.conf")
    try:
        queue.lab.run(host, f"systemctl daemon-reload; systemctl restart {unit}")
        queue.until(lambda: "failed" in queue.shell(host, f"systemctl is-active {unit} || true"))
        told = queue.shell(host, f"systemctl show -p ExecMainStatus --value {unit}")
        said = queue.shell(host, f"journalctl -u {unit} -o cat -n 30 --no-pager")
    finally:
        queue.shell(host, f"rm -r {file} {drop_in}; systemctl daemon-reload")
        queue.shell(host, f"systemctl reset-failed {unit}; systemctl start {unit}")
    assert told == "78"
    assert "DATABASE_URL is SQLite, and several replicas cannot share a file" in said
    assert not queue.lab.run(host, "test -e /srv/one-host.db").ok
    queue.until(lambda: queue.ready(SERVER) == 200)


def test_no_password_is_seen_in_a_process_or_a_log(queue: Queue) -> None:
    password = queue.fleet.hostmuster("secrets.show", "database", "--reveal").output.strip()
    look = "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ /var/log/postgresql/* 2>/dev/null; journalctl -q --no-pager"
    for host in (SERVER, WORKER):
        found = f"umask 077; cat >/run/word; {{ {look}; }} | grep -aFqf /run/word; found=$?; rm /run/word; exit $found"
        done = queue.lab.run(host, found, stdin=password.encode())
        assert done.status == 1, f"it is seen on {host}"


PROCESSES = ((SERVER, "workload"), (WORKER, "workload-worker"))
