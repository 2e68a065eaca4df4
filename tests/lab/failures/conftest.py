"""One lab for all trials of failures: three hosts, bootstrapped once, at rest at the begin of each test."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from hostmuster.lab.lab import Lab
from tests.lab.failures.trial import CONFIRM_S, HOSTS, LEASE_S, Trial, TrialFleet, machines


@pytest.fixture(scope="package")
def shared_trial(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trial]:
    """The lab and its fleet as the last test left them. Tests take `trial`."""
    name = f"test-{os.getpid()}-trial"
    fleet = TrialFleet(tmp_path_factory.mktemp("trial") / "project", name)
    with Lab.up(machines, name=name, known_hosts=fleet.known_hosts) as lab:
        trial = Trial(fleet, lab)
        trial.want(plain={"text": "one"}, armed={"number": 1}, command={"argv": []})
        for words in (("secrets.init",), ("bootstrap",), ("apply",)):
            done = fleet.hostmuster(*words)
            assert done.exit == 0, done.output + done.errors
        yield trial


@pytest.fixture
def trial(shared_trial: Trial) -> Trial:
    """All hosts up, reachable, nothing paused, nobody's lease left, and as declared."""
    lab = shared_trial.lab
    for host in HOSTS:
        lab.heal(host)
        if lab.hosts[host].state == "off":
            lab.start(host)
        lab.run(
            host,
            "rm -f /run/hostmuster-pause* /run/hostmuster.lease /srv/trial/done /srv/trial/spoiled /srv/trial/secret",
        )
    shared_trial.fleet.host_settings = {}
    shared_trial.fleet.extra = {"confirm_s": CONFIRM_S, "lease_s": LEASE_S}
    shared_trial.want(plain={"text": "one"}, armed={"number": 1}, command={"argv": []})
    rest = shared_trial.at_rest()
    if rest is None:
        done = shared_trial.apply()
        assert done.exit == 0, done.errors
    else:
        shared_trial.want(plain={"text": rest[0]}, armed={"number": rest[1]})
    return shared_trial
