"""A container engine that does not come up is named with the remedy; a container, with what it runs from."""

from __future__ import annotations

import pytest

from tests.unit.monitor.monitored import Monitored

# What systemctl and ctr answer of an engine that does not come up, and what its check has seen then.
_SHOW = """case $* in
*LoadState*) echo loaded ;;
*Timestamp*) echo Mon noon ;;
*containerd.service) echo {} ;;
*) echo {} ;;
esac
"""
_PLUGINS = "io.containerd.metadata.v1 bolt - {}"
_TORN = 'failed to load plugin io.containerd.metadata.v1.bolt" error="invalid database"'
ENGINES = {
    "torn": ("active", "failed", "error", "containerd.service is active since noon", "systemctl start docker`"),
    "panics": ("activating", "inactive", "ok", "containerd.service is activating since noon", "mv meta.db"),
    "failed": ("active", "failed", "ok", "docker.service is failed since noon", "`hostmuster apply`; journal: later"),
    "on its way": ("active", "activating", "ok", "docker.service is activating since noon", "restart docker`"),
}


@pytest.mark.parametrize("case", ENGINES)
def test_an_engine_that_does_not_come_up_is_named_with_the_remedy(monitored: Monitored, case: str) -> None:
    containerd, docker, plugin, unit, remedy = ENGINES[case]
    monitored.program("systemctl", _SHOW.format(containerd, docker))
    monitored.program("ctr", f"echo '{_PLUGINS.format(plugin)}'\n")
    monitored.program("journalctl", f"echo '{_TORN}'\necho later\n")
    monitored.program("pidof", "exit 1\n")
    status, seen = monitored.check("engine docker")
    assert status == "failed"
    assert seen.startswith(unit)
    assert remedy in seen


def test_an_engine_that_answers_is_well_and_one_that_hangs_is_not(monitored: Monitored) -> None:
    running(monitored)
    monitored.program("docker", "echo 26.1\n")
    assert monitored.check("engine docker") == ("ok", "answers, version 26.1")
    monitored.program("docker", "exit 1\n")
    status, seen = monitored.check("engine docker")
    assert (status, seen[:34]) == ("failed", "docker.service is active since noo")


def test_a_container_of_an_engine_that_does_not_answer_is_not_asked_for(monitored: Monitored) -> None:
    monitored.program("pidof", "exit 1\n")
    monitored.program("docker", "echo /app running sha256:aa\n")
    assert monitored.check("container app app:1 sha256:aa") == ("failed", "the engine does not answer")


def running(monitored: Monitored) -> None:
    """An engine whose process and unit are there."""
    monitored.program("pidof", "echo 7\n")
    monitored.program("systemctl", _SHOW.format("active", "active"))
    monitored.program("journalctl", "exit 0\n")
    monitored.program("ctr", "exit 0\n")


CONTAINERS = {
    "/app running sha256:aa": ("ok", "runs from the declared image"),
    "/app running sha256:bb": ("failed", "runs from sha256:bb, declared sha256:aa"),
    "/app exited sha256:aa": ("failed", "is exited"),
    "/apple running sha256:aa": ("failed", "is not there"),
    "Error: No such container: app": ("failed", "is not there"),
}
# What docker inspect, info and image inspect answer.
_DOCKER = "case $1 in inspect) echo '{}' ;; info) echo '[[driver-type {}]]' ;; image) echo {} ;; esac\n"


@pytest.mark.parametrize("answer", CONTAINERS)
def test_a_container_runs_from_the_declared_image_or_is_named(monitored: Monitored, answer: str) -> None:
    running(monitored)
    monitored.program("docker", _DOCKER.format(answer, "overlay2", "sha256:bb"))
    assert monitored.check("container app app:1 sha256:aa") == CONTAINERS[answer]


def test_in_containerds_store_an_image_has_another_id(monitored: Monitored) -> None:
    running(monitored)
    answer, store = "/app running sha256:m1", "io.containerd.snapshotter.v1"
    monitored.program("docker", _DOCKER.format(answer, store, "sha256:m1"))
    assert monitored.check("container app app:1 sha256:aa")[0] == "ok"
    monitored.program("docker", _DOCKER.format(answer, store, "sha256:m2"))
    assert monitored.check("container app app:1 sha256:aa")[0] == "failed"
