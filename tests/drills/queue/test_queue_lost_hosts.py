"""A queue of three hosts, each of which loses its power once: two servers that are workers too, and the database's."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import httpx
import pytest

from tests.drills.queue.conftest import DATA, LOST, PER_S, STAYS, SWEEP_S
from tests.lab.queue.queue_fleet import Queue


def running_on(queue: Queue, host: str, tasks: list[str]) -> list[str]:
    """Those that run there."""
    told = [queue.task(STAYS, one) for one in tasks]
    return [one["id"] for one in told if (one["state"], one["worker"]) == ("running", host)]


def containers(queue: Queue, host: str, *which: str) -> list[str]:
    """The names of those that are tasks' there."""
    words = " ".join(which)
    return queue.shell(host, f"docker ps {words} --filter label=workload.task --format '{{{{.Names}}}}'").split()


def test_a_worktree_is_told_alike_by_holder_and_other_and_by_none_while_the_holder_is_down(
    queue: Queue,
) -> None:
    tasks = [queue.give(STAYS, 0) for _ in range(8)]
    queue.until(lambda: all(queue.task(STAYS, one)["state"] == "done" for one in tasks))
    held = {queue.task(STAYS, one)["host"]: one for one in tasks}
    assert set(held) == {STAYS, LOST}, "both took some"
    for task in held.values():
        here, there = (queue.ask(host, f"/tasks/{task}/worktree", {}) for host in (STAYS, LOST))
        assert here == there
        assert (here[0], sorted(here[1]["files"])) == (200, ["result", "task.json"])
    queue.lab.kill(LOST)
    assert queue.ask(STAYS, f"/tasks/{held[LOST]}/worktree", {}) == (503, {"error": f"holder {LOST} is down"})
    assert queue.ask(STAYS, f"/tasks/{held[STAYS]}/worktree", {})[0] == 200


def test_what_a_lost_worker_ran_is_interrupted_in_time_and_what_waits_is_done_by_the_other(queue: Queue) -> None:
    tasks = [queue.give(STAYS, 40) for _ in range(6)]
    queue.until(lambda: len(running_on(queue, STAYS, tasks)) == len(running_on(queue, LOST, tasks)) == 3)
    there, here = running_on(queue, LOST, tasks), running_on(queue, STAYS, tasks)
    # What is claimed runs as soon as the engine has started its container.
    queue.until(lambda: sorted(containers(queue, STAYS)) == sorted(f"task-{one}" for one in here))
    queue.lab.kill(LOST)
    took = queue.until(lambda: all(queue.task(STAYS, one)["state"] == "interrupted" for one in there))
    print(f"interrupted {took:.1f} s after the power loss, declared {SWEEP_S} s")
    assert took <= SWEEP_S
    assert running_on(queue, STAYS, tasks) == here, "another worker's are left alone"
    waiting = queue.give(STAYS, 0)
    queue.until(lambda: queue.task(STAYS, waiting)["state"] == "done")
    assert queue.task(STAYS, waiting)["worker"] == STAYS
    queue.lab.start(LOST)
    # Its engine may be up long after its server: until then the other worker would do all of them.
    queue.shell(LOST, "until docker ps >/dev/null 2>&1; do sleep 0.1; done")
    queue.until(lambda: bool(queue.ask(STAYS, "/workers")[1][LOST]["seen_s"] < SWEEP_S))
    again = [queue.give(STAYS, 5) for _ in range(4)]
    queue.until(lambda: running_on(queue, LOST, again) != [])
    # A beat that came before the engine took nothing away; the next one does.
    queue.until(lambda: not {*containers(queue, LOST, "-a")} & {f"task-{one}" for one in there})
    queue.until(lambda: all(queue.task(STAYS, one)["effects"] == 1 for one in (*here, *again)))
    assert all(queue.task(STAYS, one)["effects"] == 0 for one in there)


def accepted(queue: Queue, hosts: tuple[str, ...], seconds: float) -> tuple[int, float]:
    """How many tasks were taken, of more than may be, and in how many seconds."""

    def flood(host: str, until: float) -> int:
        url, taken = f"http://{queue.lab.hosts[host].machine.address}:8080/tasks", 0
        with httpx.Client(timeout=10) as client:
            while time.monotonic() < until:
                status = client.post(url, json={"key": uuid.uuid4().hex, "seconds": 0}).status_code
                assert status in (201, 429)
                taken += status == 201
        return taken

    began = time.monotonic()
    with ThreadPoolExecutor(4) as pool:
        counts = [pool.submit(flood, host, began + seconds) for host in hosts * (4 // len(hosts))]
        return sum(one.result() for one in counts), time.monotonic() - began


@pytest.fixture
def no_workers(queue: Queue) -> Iterator[None]:
    """What is taken waits, and is not done afterwards: it would be hundreds of containers."""
    for host in (STAYS, LOST):
        queue.shell(host, "systemctl stop workload-worker")
    yield
    drop = "UPDATE tasks SET state = 'stopped' WHERE state = 'queued'"
    queue.shell(DATA, f'cd / && runuser -u postgres -- psql -q -d service -c "{drop}"')
    for host in (STAYS, LOST):
        queue.lab.start(host)
        queue.shell(host, "systemctl start workload-worker")


@pytest.mark.usefixtures("no_workers")
def test_the_rate_is_what_was_set_over_both_servers_and_with_one_of_them_lost(queue: Queue) -> None:
    for hosts in ((STAYS, LOST), (STAYS,)):
        time.sleep(1.2)  # a whole burst again
        taken, seconds = accepted(queue, hosts, 4)
        print(f"{taken} taken in {seconds:.1f} s by {len(hosts)}, set: {PER_S} a second")
        assert 0.7 * (PER_S + PER_S * 4) <= taken <= PER_S + PER_S * seconds + 1
        queue.lab.kill(LOST)


def test_with_the_databases_host_gone_for_a_while_nothing_acknowledged_is_lost_or_done_twice(queue: Queue) -> None:
    acknowledged: dict[str, str] = {}
    stop = threading.Event()

    def client() -> None:
        """Numbered tasks, each asked for again with its key until it is acknowledged."""
        with httpx.Client(timeout=20) as asked:
            for number in range(10_000):
                while not stop.is_set() and f"n{number}" not in acknowledged:
                    host = (STAYS, LOST)[number % 2]
                    url = f"http://{queue.lab.hosts[host].machine.address}:8080/tasks"
                    with suppress(httpx.TransportError):  # not known to be taken: asked again
                        answer = asked.post(url, json={"key": f"n{number}", "seconds": 0})
                        if answer.status_code in (200, 201):
                            acknowledged[f"n{number}"] = answer.json()["id"]
                    stop.wait(0.2)

    thread = threading.Thread(target=client)
    thread.start()
    try:
        queue.until(lambda: len(acknowledged) >= 5)
        queue.lab.kill(DATA)
        queue.until(lambda: queue.ready(STAYS) == queue.ready(LOST) == 503)
        before = len(acknowledged)
        queue.lab.start(DATA)
        queue.until(lambda: queue.ready(STAYS) == queue.ready(LOST) == 200)
        queue.until(lambda: len(acknowledged) >= before + 5)
    finally:
        stop.set()
        thread.join()
    queue.until(lambda: queue.ask(STAYS, "/tasks")[1]["queued"] == queue.ask(STAYS, "/tasks")[1]["running"] == 0)
    found = [queue.task(STAYS, one) for one in acknowledged.values()]
    assert len({one["id"] for one in found}) == len(acknowledged), "each key is a task of its own"
    assert all(one["effects"] == (one["state"] == "done") for one in found)
    assert queue.ask(STAYS, "/tasks")[1]["duplicated_effects"] == 0


def test_a_host_that_is_no_client_is_refused_before_a_password_is_asked_for(queue: Queue) -> None:
    login = queue.fleet.folder / "deploys" / "items"  # the project's own link into the repository
    program = (login.resolve().parents[1] / "hostmuster" / "data" / "login.py").read_bytes()
    queue.shell(DATA, "command -v python3 >/dev/null || apt-get -qq install -y python3-minimal >/dev/null")
    address = queue.lab.hosts[DATA].machine.address
    done = queue.lab.run(DATA, f"python3 - {address} 5432 service", stdin=program)
    assert done.stdout.startswith("refuses: 28000 no pg_hba.conf entry for host"), done.stdout + done.stderr


def test_the_password_is_replaced_on_all_sides_at_once_and_the_old_one_is_refused(queue: Queue) -> None:
    old = queue.fleet.hostmuster("secrets.show", "database", "--reveal").output.strip()
    done = queue.fleet.run("secrets.rotate", "database")
    assert done.exit == 0, done.errors
    print("swap:", {name: done.document.get(name) for name in ("outage_s", "skew_s", "seconds")})
    queue.until(lambda: queue.ready(STAYS) == queue.ready(LOST) == 200)
    task = queue.give(LOST, 0)
    queue.until(lambda: queue.task(STAYS, task)["state"] == "done")
    where = f"postgresql://service@{queue.lab.hosts[DATA].machine.address}/service"
    enter = f'import psycopg, sys; psycopg.connect("{where}", password=sys.stdin.read())'
    tried = queue.lab.run(STAYS, f"python3 -c '{enter}'", stdin=old.encode())
    assert not tried.ok
    assert 'password authentication failed for user "service"' in tried.stderr
