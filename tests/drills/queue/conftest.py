"""A queue of three hosts whose tasks are containers: two servers that are workers too, and the database's."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import partial

import pytest

from hostmuster.lab.container_image import ARCHIVE
from hostmuster.lab.machine import Machine
from hostmuster.lab.subnet import Subnet
from tests.lab.own_lab import own_lab
from tests.lab.queue.queue_fleet import ROLES, Queue, QueueProject

STAYS, LOST, DATA = "server-1", "worker-1", "database-1"
SWEEP_S, PER_S = 15, 10
IMAGE = "lab/web:1"
ITEMS = ("access", "secrets", "env_files", "images", "database", "units")


def three_hosts(net: Subnet) -> list[Machine]:
    """Both Debians have a server and a worker."""
    return [
        Machine(STAYS, net.at(11), 12, ("server", "worker")),
        Machine(LOST, net.at(12), 13, ("server", "worker")),
        Machine(DATA, net.at(13), 12, ("database",)),
    ]


@pytest.fixture(scope="package")
def queue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Queue]:
    """One that serves, with tasks as containers."""
    roles = copy.deepcopy(ROLES)
    for role in ("server", "worker"):
        roles[role]["units"]["workload"]["sweep_s"] = SWEEP_S
    roles["server"]["units"]["workload"]["queue"] = {"rate_per_s": PER_S}
    roles["worker"]["units"]["workload"]["worker"] |= {"image": IMAGE, "slots": 3}
    roles["worker"]["images"] = {"declared": {IMAGE: {"archive": ARCHIVE}}}
    kind = partial(QueueProject, items=ITEMS)
    with own_lab(tmp_path_factory, "queuedrill", three_hosts, kind, 3 << 30) as (fleet, lab):
        here = Queue(fleet, lab)
        here.made(roles)
        yield here


@pytest.fixture(autouse=True)
def _all_there(queue: Queue) -> Iterator[None]:
    """Every host is back, serves, and gives word to the database."""
    yield
    for host in queue.lab.hosts:
        queue.lab.start(host)
    queue.until(lambda: queue.ready(STAYS) == queue.ready(LOST) == 200)
    queue.until(lambda: all(one["seen_s"] < SWEEP_S for one in queue.ask(STAYS, "/workers")[1].values()))
