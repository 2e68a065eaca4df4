"""An engine: installed where there is none, accepted where one answers, and never restarted."""

from __future__ import annotations

import json

import pytest

from hostmuster.resources.engine import DAEMON, OURS, Engine
from hostmuster.resources.step import Blocked, Put, Run
from tests.unit.resources.seen import found, seen

RUNNING = "program /usr/sbin/dockerd\nflags /usr/sbin/dockerd -H fd:// \nstore overlay2\n\
version 20.10.24\nlive false\ncontainers 3\nregistries \n"
FOREIGN = RUNNING.replace("/usr/sbin", "/opt/engine")
LIVE = Engine(("docker.io",), live_restore=True, insecure=("reg.local:5000",))
ANY = Engine(("docker.io",))


def silent(lasts: str, why: str) -> str:
    """One that does not answer, and why."""
    return f"program /usr/sbin/dockerd\ntrouble {lasts} {why}\n"


def steps(engine: Engine, said: str, file: str = "") -> tuple[list[str], dict[str, bytes], list[str]]:
    """What it would run (as one line), write, and why it would not."""
    content = "\n".join(f"{DAEMON}:{line}" for line in file.splitlines())
    taken = list(engine.steps(seen(engine, engine=said, content=content)))
    runs = [" ".join(step.argv[-3:]) for step in taken if isinstance(step, Run)]
    puts = {step.path: step.content for step in taken if isinstance(step, Put)}
    return runs, puts, [step.reason for step in taken if isinstance(step, Blocked)]


@pytest.mark.parametrize("said", [RUNNING, FOREIGN], ids=["Debian's", "one from elsewhere"])
def test_an_engine_that_answers_is_accepted_as_it_is(said: str) -> None:
    assert found(ANY, engine=said) == {}


def test_where_none_is_its_settings_are_there_before_its_first_start() -> None:
    assert found(ANY, engine="") == {"presence": ("none", "one that answers")}
    runs, puts, blocked = steps(ANY, "")
    assert json.loads(puts[DAEMON]) == {"live-restore": True}
    assert OURS in puts
    assert runs[-1] == "--no-install-recommends install docker.io"
    assert not blocked


def test_one_that_we_installed_is_to_keep_live_restore() -> None:
    assert found(ANY, engine=f"ours yes\n{RUNNING}") == {"live-restore": ("false", "true")}


def test_declared_settings_are_added_to_the_file_and_taken_up_without_a_restart() -> None:
    assert set(found(LIVE, engine=RUNNING)) == {"live-restore", "registry reg.local:5000"}
    runs, puts, _ = steps(LIVE, RUNNING, '{\n"log-driver": "journald",\n"insecure-registries": ["b:1"]\n}')
    assert json.loads(puts[DAEMON]) == {
        "log-driver": "journald",
        "insecure-registries": ["b:1", "reg.local:5000"],
        "live-restore": True,
    }
    assert runs == ["reload true reg.local:5000"]


def test_a_file_that_is_right_while_the_engine_has_not_read_it_is_left_as_it_is() -> None:
    runs, puts, _ = steps(Engine(("docker.io",), live_restore=True), RUNNING, '{"live-restore": true}')
    assert (runs, puts) == (["reload docker reload true"], {})


@pytest.mark.parametrize(
    ("said", "file", "why"),
    [
        (RUNNING, "{", "is not JSON"),
        (RUNNING, "[]", "is not JSON"),
        (RUNNING.replace("-H fd://", "--live-restore=false"), "", "refuses to start with it"),
        (FOREIGN.partition("store")[0], "", "does not answer"),
    ],
    ids=["no JSON", "a list", "an option that would contradict the file", "silent"],
)
def test_what_only_its_owner_can_mend_is_said_and_left(said: str, file: str, why: str) -> None:
    _, puts, blocked = steps(LIVE, said, file)
    assert not puts
    assert any(why in reason for reason in blocked)


def test_one_that_is_stopped_is_started() -> None:
    stopped = silent("passing", "docker.service is inactive since noon")
    assert found(ANY, engine=stopped) == {"state": ("silent (docker.service is inactive since noon)", "answering")}
    assert steps(ANY, stopped)[0][0].endswith(" start docker start")


@pytest.mark.parametrize(
    "why", ["containerd.service is active since noon", "docker.service is activating since noon"], ids=["torn", "slow"]
)
def test_one_that_a_start_would_not_help_is_left_and_why_is_said(why: str) -> None:
    runs, puts, blocked = steps(ANY, silent("lasting", why))
    assert (runs, puts, blocked) == ([], {}, [why])


def test_registries_that_it_knows_already_are_no_difference() -> None:
    said = RUNNING.replace("live false", "live true").replace("registries ", "registries 127.0.0.1:1 reg.local:5000 ")
    assert found(LIVE, engine=said) == {}
