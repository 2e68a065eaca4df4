"""The env_files item: 0600, one typed source, single values changed by role or host, refusals without values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hostmuster.errors import InputError
from hostmuster.resources.file import File
from tests.items.project import compiled, fleet, resource

APP: dict[str, Any] = {
    "path": "/etc/app/app.env",
    "consumer": "systemd",
    "restarts": ["app.service"],
    "values": {"LEVEL": "info", "PORT": 8080, "MULTI": True},
}


def settings(**changes: Any) -> dict[str, Any]:
    """One file, with these changes."""
    return {"env_files": {"files": {"app": APP | changes}}}


def test_a_file_is_for_root_alone_and_owes_its_readers_a_restart(tmp_path: Path) -> None:
    part = compiled(tmp_path, "env_files", settings())
    body = b'LEVEL="info"\nPORT="8080"\nMULTI="true"\n'
    assert resource(part, "file /etc/app/app.env") == File(
        "/etc/app/app.env", body, "0600", restarts=("app.service",), lint="systemd-environment"
    )


def test_one_host_changes_one_value(tmp_path: Path) -> None:
    other = {"env_files": {"files": {"app": {"values": {"LEVEL": "debug"}}}}}
    part = compiled(tmp_path, "env_files", settings(), host="worker-1", worker_1=other)
    assert resource(part, "file /etc/app/app.env").content == b'LEVEL="debug"\nPORT="8080"\nMULTI="true"\n'


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"consumer": "docker", "values": {"K": "hidden\nx"}}, "docker cannot carry: K holds a line break"),
        ({"consumer": "shell", "values": {"UID": "hidden"}}, "shell cannot carry: UID is a name"),
        ({"values": {"export A": "hidden"}}, "`export A` is not a variable's name"),
        ({"values": {"MY-KEY": "hidden"}}, "`MY-KEY` is not a variable's name"),
        ({"values": {"1ST": "hidden"}}, "`1ST` is not a variable's name"),
        ({"values": {"RATE": 0.25}}, "a fraction where a variable's value is expected"),
        ({"values": {"NONE": None}}, "nothing where a variable's value is expected"),
        ({"values": {"LIST": ["hidden"]}}, "a list where a variable's value is expected"),
        ({"restarts": ["app"]}, "`app` is not a unit's name"),
        ({"path": "/etc/two words"}, "a space in the path"),
        ({"path": "/etc/line\nbreak"}, "a line break in the path"),
    ],
)
def test_refused_with_the_reason_and_without_the_value(tmp_path: Path, changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError) as caught:
        fleet(tmp_path, settings(**changes))
    said = str(caught.value)
    assert reason in said
    assert "inventory/unit.yml:" in said
    assert "hidden" not in said


def test_no_difference_and_no_effect_shows_a_value(tmp_path: Path) -> None:
    part = compiled(tmp_path, "env_files", settings(values={"LEVEL": "hidden"}))
    shown = [repr(part.resources), *(f"{effect.name} {effect.ask}" for effect in part.effects)]
    assert not [text for text in shown if "hidden" in text]


def test_a_restart_is_proved_by_the_unit_of_an_item_that_was_left_out(tmp_path: Path) -> None:
    part = compiled(tmp_path, "env_files", settings(restarts=["workload.service"]) | {"units": {"workload": {}}})
    (unit,) = (unit for unit in part.units if unit.name == "workload.service")
    assert unit.ready[-1] == "http://192.0.2.11:8080/health/ready"
