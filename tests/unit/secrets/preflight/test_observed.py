"""What hosts and processes said, held against the store, the fleet file and one another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from hostmuster.item import Answer
from hostmuster.secrets.generation import Generation, Held
from hostmuster.secrets.preflight import observed, running
from hostmuster.secrets.preflight.environment import Environment
from hostmuster.secrets.preflight.finding import Finding
from hostmuster.secrets.preflight.mark import Marks
from hostmuster.secrets.preflight.observed import LEFT_OUT, Looked, Wanted
from hostmuster.secrets.preflight.process import Process, salted
from hostmuster.secrets.preflight.reading import Reading

SALT, UNIT = "salt", "api.service"
HOSTS = ("server-1", "server-2")


def digest(content: bytes) -> str:
    return salted(SALT, content)


def process(**values: str) -> Process:
    return Process("active", True, True, {name: digest(value.encode()) for name, value in values.items()}, {})


def looked(host: str, identity: str = "abc", number: int = 4, **values: str) -> Looked:
    files = {"api.env": digest(b"file")}
    return Looked(host, "", Held(number, identity, {}, {}), files, {UNIT: process(**values)})


def wanted(identity: str = "abc") -> Wanted:
    files = {host: {"api.env": b"file"} for host in HOSTS}
    return Wanted(Generation(identity, files, {}, {}), {"ai-key": b"key"}, digest)


def environment(host: str, values: Mapping[str, str] | None = None) -> Environment:
    given = {"AI_SECRET_ENCRYPTION_KEY": "ai-key"}
    return Environment(host, values or {}, lambda _: "lab.yml:7", given, frozenset(["ai-key"]), (UNIT,))


def told(findings: list[Finding]) -> list[str]:
    return [f"{one.host}: {one.problem.where}: {one.problem.what}" for one in findings if one.problem]


def held(*hosts: Looked, want: Wanted | None = None) -> list[Finding]:
    seen = {one.host: one for one in hosts}
    return list(observed.holdings("api", dict.fromkeys(seen, (UNIT,)), seen, want or wanted()))


READINGS = [Reading(host, UNIT, "Fernet key", "value", "AI_SECRET_ENCRYPTION_KEY", "ai-key") for host in HOSTS]


def given(*hosts: Looked, want: Wanted) -> list[str]:
    return told(list(running.given("api", READINGS, {one.host: one for one in hosts}, want)))


def by_hand(*hosts: Looked, values: Mapping[str, str] | None = None) -> list[str]:
    replicas = [environment(one.host, values) for one in hosts]
    return told(list(running.by_hand("api", replicas, {one.host: one for one in hosts}, wanted())))


def test_hosts_with_one_generation_whose_units_started_since_lack_nothing() -> None:
    assert held(looked("server-1"), looked("server-2")) == []


def test_the_store_may_be_ahead_of_all_hosts_but_no_host_of_another() -> None:
    assert held(looked("server-1"), looked("server-2"), want=wanted("newer")) == []
    behind = held(looked("server-1"), looked("server-2", "old", 3))
    assert told(behind) == ["server-2: server-2: it has another generation (3) than most (4)"]


def test_a_host_without_a_generation_or_with_damaged_files_is_named() -> None:
    none, damaged = replace(looked("server-1"), held=None), replace(looked("server-2"), files={"api.env": "x"})
    assert told(held(none, damaged)) == [
        "server-1: server-1: it has no generation of secrets",
        "server-2: server-2: its generation is not what it says it is: api.env",
    ]


@pytest.mark.parametrize(("state", "missed"), [("failed", True), ("activating", True), ("inactive", False)])
def test_a_unit_that_cannot_start_is_a_miss_and_one_that_is_stopped_is_not_seen(state: str, missed: bool) -> None:
    down = replace(looked("server-1"), processes={UNIT: Process(state, False, None, {}, {})})
    (found,) = held(down, looked("server-2"))
    assert (found.state, found.host) == ("missing" if missed else "NOT_RUN", "server-1")


def test_a_host_that_was_lost_is_a_miss_and_one_that_was_left_out_is_not_seen() -> None:
    lost, left_out = held(Looked("server-1", "it hangs"), Looked("server-2", LEFT_OUT))
    assert (lost.state, left_out.state) == ("missing", "NOT_RUN")


def test_a_value_is_held_against_the_store_and_where_that_is_ahead_against_the_other_replicas() -> None:
    one, other = (looked(host, AI_SECRET_ENCRYPTION_KEY=value) for host, value in zip(HOSTS, ("key", "x"), strict=True))
    name = f"server-2: server-2, {UNIT}, AI_SECRET_ENCRYPTION_KEY"
    assert given(one, other, want=wanted()) == [f"{name}: its process has another value than the generation"]
    ahead = given(one, other, want=wanted("newer"))
    assert ahead == [f"{name}: its process has another value than server-1, {UNIT}, AI_SECRET_ENCRYPTION_KEY"]
    assert given(one, looked("server-2"), want=wanted()) == [f"{name}: its process was not given it"]


def test_a_variable_that_one_process_has_by_hand_is_named() -> None:
    (found,) = by_hand(looked("server-1"), looked("server-2", S3_ENDPOINT="https://other"))
    assert found == f"server-2: server-2, S3_ENDPOINT: the process of {UNIT} has it otherwise than on server-1"
    assert by_hand(looked("server-1", LANG="de"), looked("server-2")) == []


@pytest.mark.parametrize("off", ["false", "0", "no", "off", ""])
def test_what_no_replica_may_have_is_named_though_all_have_it(off: str) -> None:
    inline = process(RUNTIME_RSA_PRIVATE_KEY="-----BEGIN", RUNTIME_RSA_PRIVATE_KEY_FILE="/run/key")
    both = [replace(looked(host), processes={UNIT: inline}) for host in HOSTS]
    assert ["it shadows" in one for one in by_hand(*both)] == [True, True]
    auto = by_hand(looked("server-1", RUNTIME_RSA_ALLOW_AUTO_GENERATE="TRUE"))
    name = "server-1: server-1, RUNTIME_RSA_ALLOW_AUTO_GENERATE"
    assert auto == [f"{name}: the process of {UNIT} would make a signing key of its own"]
    assert by_hand(looked("server-1", RUNTIME_RSA_ALLOW_AUTO_GENERATE=off)) == []


def test_what_is_declared_and_not_in_the_process_is_named_with_the_line_that_declares_it() -> None:
    replicas = [environment("server-1", {"S3_BUCKET": "artefacts", "LOG_LEVEL": "info"})]
    seen = {"server-1": looked("server-1", S3_BUCKET="other", LOG_LEVEL="debug")}
    assert told(list(running.declared("api", replicas, seen, wanted()))) == [
        f"server-1: server-1, S3_BUCKET (lab.yml:7): the process of {UNIT} has another value"
    ]


def marked(put: Mapping[str, str], seen: Mapping[str, str]) -> list[tuple[str, str, str]]:
    hosts = ("a", "b", "c")
    asks = dict.fromkeys(hosts, lambda verb, me, others: (verb, me, *others))
    marks = Marks("api", "Redis", {host: f"{host}, REDIS_URL" for host in hosts}, asks, "Redis")
    answers = ({host: Answer(0, text) for host, text in said.items()} for said in (put, seen))
    return [(one.host, one.state, one.said) for one in marks.found(*answers)]


def test_marks_are_seen_by_all_or_whoever_does_not_see_them_is_named() -> None:
    ok = {"a": "ok", "b": "ok", "c": "ok"}
    assert {state for _, state, _ in marked(ok, ok)} == {"holds"}
    blind = marked(ok, {**ok, "c": "unseen a\nunseen b"})
    assert blind[2] == ("c", "missing", "it does not see there what a, b left: they do not share it")
    assert [state for _, state, _ in blind] == ["holds", "holds", "missing"]


def test_a_mark_that_was_never_left_is_nobodys_miss_but_its_own() -> None:
    found = marked(
        {"a": "ok", "b": "failed Redis refuses it: WRONGPASS", "c": "ok"}, {"a": "unseen b", "c": "unseen b"}
    )
    assert [(host, state) for host, state, _ in found] == [("a", "holds"), ("b", "missing"), ("c", "holds")]
    assert found[1][2] == "Redis refuses it: WRONGPASS"


def test_where_nothing_can_be_told_nothing_passes() -> None:
    found = marked({"a": "ok", "b": "unknown python3 is not installed"}, {"a": "unseen b\nunseen c"})
    assert [(host, state) for host, state, _ in found] == [("a", "NOT_RUN"), ("b", "NOT_RUN")]
    assert marked({"a": "ok", "b": "ok"}, {"b": "ok"})[0][1] == "NOT_RUN"
