"""The containers item: how each is made, who it is, and what is refused before any host is touched."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from hostmuster.errors import InputError
from tests.items.project import compiled, resource

DIGEST = f"sha256:{'c' * 64}"
IMAGES = {"declared": {"app:1": {"config": DIGEST, "manifest": DIGEST}}}
APPARMOR = {"profiles": {"docker-web": {"text": "profile docker-web flags=(attach_disconnected) {\n}\n"}}}
WEB: dict[str, Any] = {
    "image": "app:1",
    "command": ["serve", "--say", "it's $HOME"],
    "env": {"LEVEL": "a b", "WORKERS": 2, "QUIET": True},
    "publish": [{"port": 8088, "to": 80}],
    "binds": {"/opt/web": {"at": "/app"}, "/srv/data": {"at": "/data", "writable": True}},
    "user": "web:web",
    "apparmor": "docker-web",
    "stop_s": 20,
}


def part(folder: Path, host: str = "server-1", images: Any = IMAGES, **changes: Any) -> Any:
    """The item with one container."""
    settings = {"images": images, "apparmor": APPARMOR, "containers": {"declared": {"web": WEB | changes}}}
    return compiled(folder, "containers", settings, host)


def run_file(one: Any) -> str:
    text: str = resource(one, "file /etc/hostmuster/containers/web.run").content.decode()
    return text


def words(one: Any) -> list[str]:
    """What docker create is given, as a shell reads it."""
    return shlex.split(run_file(one).partition("set --")[2].replace("\\\n", " "))


def after(one: Any, option: str) -> list[str]:
    given = words(one)
    return [given[at + 1] for at, word in enumerate(given) if word == option]


def refused(folder: Path, **changes: Any) -> str:
    with pytest.raises(InputError) as error:
        part(folder, **changes)
    return str(error.value)


def test_it_is_made_with_what_was_declared(tmp_path: Path) -> None:
    one = part(tmp_path)
    assert words(one)[-4:] == ["app:1", "serve", "--say", "it's $HOME"]
    assert after(one, "--publish") == ["192.0.2.11:8088:80/tcp"]
    assert after(one, "--user") == ["web:web"]
    assert after(one, "--security-opt") == ["apparmor=docker-web"]


def test_code_is_mounted_read_only_and_only_what_says_so_is_writable(tmp_path: Path) -> None:
    mounts = after(part(tmp_path), "--mount")
    assert "type=bind,source=/opt/web,target=/app,readonly" in mounts
    assert "type=bind,source=/srv/data,target=/data" in mounts


def test_systemd_alone_supervises_it(tmp_path: Path) -> None:
    one = part(tmp_path)
    assert after(one, "--restart") == ["no"]
    unit = resource(one, "file /etc/systemd/system/container-web.service").content.decode()
    assert "Restart=always" in unit
    assert "Requires=docker" not in unit


def test_docker_gives_up_before_systemd_does(tmp_path: Path) -> None:
    unit = resource(part(tmp_path), "file /etc/systemd/system/container-web.service").content.decode()
    assert "ExecStop=docker stop -t 20 web" in unit
    assert "TimeoutStopSec=35s" in unit


def test_variables_are_written_as_docker_reads_them_and_readable_by_root_alone(tmp_path: Path) -> None:
    file = resource(part(tmp_path), "file /etc/hostmuster/containers/web.env")
    assert file.content == b"LEVEL=a b\nWORKERS=2\nQUIET=true\n"
    assert file.mode == "0600"
    assert file.restarts == ("container-web.service",)


def test_each_replica_is_somebody_else_and_stays_it_when_it_is_made_anew(tmp_path: Path) -> None:
    names = [after(part(tmp_path, host), "--hostname") for host in ("server-1", "worker-1")]
    assert names == [["web.server-1"], ["web.worker-1"]]
    path = "file /etc/hostmuster/containers/web.machine-id"
    ids = [
        resource(part(tmp_path, host, **more), path).content
        for host in ("server-1", "worker-1")
        for more in ({}, {"command": ["x"]})
    ]
    assert ids[0] == ids[1] != ids[2] == ids[3]
    assert all(len(one) == 33 for one in ids)


CHANGED: dict[str, dict[str, Any]] = {
    "a variable": {"env": {"LEVEL": "c"}},
    "the command": {"command": ["serve"]},
    "a mount": {"binds": {"/opt/web": {"at": "/code"}}},
    "the image": {"images": {"declared": {"app:1": {"config": f"sha256:{'d' * 64}", "manifest": DIGEST}}}},
    "the profile": {"apparmor": None},
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGED)
def test_what_changes_the_container_changes_its_spec_so_that_a_restart_is_owed(tmp_path: Path, change: str) -> None:
    before, now = part(tmp_path), part(tmp_path, **CHANGED[change])
    assert resource(before, "container web").spec != resource(now, "container web").spec
    assert run_file(before) != run_file(now)


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "an image nobody declares": ({"image": "other:1"}, "no item declares the image other:1"),
    "a profile nobody declares": ({"apparmor": "other"}, "no item declares the apparmor other"),
    "a public address": ({"address": "8.8.8.8"}, "8.8.8.8 is no private address"),
    "every address": ({"address": "0.0.0.0"}, "0.0.0.0 is no private address"),
    "a line break in a variable": ({"env": {"KEY": "a\nb"}}, "docker cannot carry: KEY holds a line break"),
    "two mounts at one place": ({"binds": {"/a": {"at": "/x"}, "/b": {"at": "/x"}}}, "/x is mounted twice"),
    "its machine id": ({"binds": {"/a": {"at": "/etc/machine-id"}}}, "is mounted twice"),
    "a path that --mount takes apart": ({"binds": {"/a,b": {"at": "/x"}}}, "docker's --mount cannot carry it"),
    "a port twice": ({"publish": [{"port": 1, "to": 1}, {"port": 1, "to": 2}]}, "a port is published twice"),
    "a profile that is an option": ({"apparmor": "a b"}, "String should match pattern"),
}


@pytest.mark.parametrize("case", WRONG)
def test_refused_before_any_host_is_touched(tmp_path: Path, case: str) -> None:
    changes, reason = WRONG[case]
    assert reason in refused(tmp_path, **changes)


def test_a_name_is_one_that_docker_and_systemd_take(tmp_path: Path) -> None:
    settings = {"images": IMAGES, "containers": {"declared": {"Web_1": WEB}}}
    with pytest.raises(InputError, match="mistake") as error:
        compiled(tmp_path, "containers", settings)
    assert "`Web_1` is no container's name" in str(error.value)
