"""The start gate on hosts that read secrets: declared with its peers, and not where there is none to ask."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hostmuster.item import Answer
from hostmuster.secrets import start_gate
from tests.items.project import compiled, resource

READERS: dict[str, Any] = {
    "api": {"unit": "api.service", "env": {"TOKEN": "api-token"}},
    "other": {"unit": "other.service", "env": {"TOKEN": "api-token"}},
}
FLEET: dict[str, Any] = {"secrets": {"readers": READERS}}


def drop_in(part: Any, unit: str, reader: str) -> str:
    text: bytes = resource(part, f"file /etc/systemd/system/{unit}.d/hostmuster-{reader}.conf").content
    return text.decode()


def test_each_unit_passes_the_gate_and_peers_are_asked_as_the_service_user(tmp_path: Path) -> None:
    part = compiled(tmp_path, "secrets", FLEET | {"access": {"service": "runner"}})
    told = resource(part, f"file {start_gate.PEERS}").content.decode().splitlines()
    assert told == ["service runner", "peer worker-1", "unit api.service", "unit other.service"]
    assert start_gate.CONDITION in drop_in(part, "api.service", "api")
    assert start_gate.CONDITION in drop_in(part, "other.service", "other")


def test_the_only_host_that_reads_secrets_has_nobody_to_ask(tmp_path: Path) -> None:
    part = compiled(tmp_path, "secrets", {}, server_1={"secrets": {"readers": READERS}})
    assert not any("gate" in one.id for one in part.resources)
    assert "ExecCondition" not in drop_in(part, "api.service", "api")
    assert not any("gate" in effect.name for effect in part.effects)


def test_the_proofs_tell_a_shut_gate_and_a_peer_that_says_nothing() -> None:
    shut = start_gate.holds_nothing_back().judge
    assert shut(Answer(0, "")).ok
    assert shut(Answer(0, "none of its peers answers (b)\n")).seen == "its services wait: none of its peers answers (b)"
    assert shut(Answer(127, "not found")).ok is False
    hears = start_gate.hears("b").judge
    assert hears(Answer(0, "7\n")).seen == "b has generation 7"
    assert hears(Answer(0, "-\n")).ok is False
