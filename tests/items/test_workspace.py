"""The workspace item: folders and files with owner and mode; a host's own state is never among them."""

from __future__ import annotations

from pathlib import Path

import pytest

from hostmuster.errors import InputError
from hostmuster.resources.directory import Directory
from hostmuster.resources.file import File
from tests.items.project import compiled, fleet


@pytest.fixture
def templates(tmp_path: Path) -> Path:
    """A project's own templates, clock's among them."""
    folder = tmp_path / "templates"
    for name in ("home/bin", "clock"):
        (folder / ("workspace" if name == "home/bin" else "") / name).mkdir(parents=True)
    (folder / "clock" / "chrony.conf.j2").write_text("")
    (folder / "clock" / "chrony.sources.j2").write_text("")
    repository = Path(__file__).parents[2] / "templates"
    (folder / "access").symlink_to(repository / "access")
    return folder


def test_the_service_user_owns_what_names_no_owner(tmp_path: Path) -> None:
    settings = {"workspace": {"directories": {"/srv/app/repos": {}, "/srv/app": {"owner": "root", "mode": "0755"}}}}
    part = compiled(tmp_path, "workspace", settings)
    assert part.resources == (
        Directory("/srv/app", "0755", "root", "root"),
        Directory("/srv/app/repos", "0750", "service", "service"),
    )
    assert [effect.name for effect in part.effects] == ["root may write", "service may write"]


def test_a_folder_of_templates_becomes_its_files(tmp_path: Path, templates: Path) -> None:
    home = templates / "workspace" / "home"
    (home / "app.ini.j2").write_text("on {{ host.name }} at {{ root }}\n")
    (home / "bin" / "run").write_bytes(b"#!/bin/sh\n\xff{{ not a template }}\n")
    (home / "bin" / "run").chmod(0o755)
    tree = {"folder": "home", "owner": "root", "values": {"root": "/srv"}}
    part = compiled(tmp_path, "workspace", {"workspace": {"trees": {"/srv/home": tree}}})
    assert part.resources == (
        Directory("/srv/home", "0750", "root", "root"),
        File("/srv/home/app.ini", b"on server-1 at /srv\n", "0640", "root", "root"),
        Directory("/srv/home/bin", "0750", "root", "root"),
        File("/srv/home/bin/run", b"#!/bin/sh\n\xff{{ not a template }}\n", "0750", "root", "root"),
    )


def test_a_hosts_own_state_is_not_copied_though_it_lies_among_the_templates(tmp_path: Path, templates: Path) -> None:
    home = templates / "workspace" / "home"
    for name in ("host-state.json", "autoscaler-state.json", "bin/host-state.json.j2", "kept.json"):
        (home / name).write_text("{}")
    part = compiled(tmp_path, "workspace", {"workspace": {"trees": {"/srv/home": {"folder": "home"}}}})
    assert [one.id for one in part.resources] == ["directory /srv/home", "file /srv/home/kept.json"]


def test_a_hosts_own_state_cannot_be_declared_as_a_file(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        fleet(tmp_path, {"workspace": {"files": {"/srv/host-state.json": {"template": "x.j2"}}}})
    assert "/srv/host-state.json is a host's own state" in str(caught.value)
