"""The panel's virtual hosts: the guard run on files of this machine, and what the item makes of a fleet file."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.items.project import REPOSITORY, compiled, fleet, resource

GUARD = REPOSITORY / "hostmuster" / "panel" / "guard.sh"
INCLUDE = "/etc/hostmuster/panel/api.conf"
LINE = f"    include {INCLUDE}; # hostmuster\n"
PANELS = "server {\n    listen 80;\n    server_name api.example.net;\n    root /www;\n}\n"
OURS = PANELS.replace("    root", f"{LINE}    root")


@dataclass(frozen=True)
class Panel:
    """A panel's file, and the guard beside an nginx that takes it or not."""

    folder: Path

    @property
    def vhost(self) -> Path:
        """The panel's file."""
        return self.folder / "api.conf"

    def guard(self, *words: str) -> subprocess.CompletedProcess[str]:
        """The guard itself."""
        return subprocess.run(["sh", GUARD, *words], capture_output=True, text=True, check=False)

    def restore(self, nginx: str = "exit 0") -> str:
        """What it says of a round."""
        (self.folder / "state").mkdir(exist_ok=True)
        (self.folder / "nginx").write_text(f"#!/bin/sh\n{nginx}\n")
        (self.folder / "nginx").chmod(0o755)
        (self.folder / "vhosts").write_text(f"api {self.vhost} {INCLUDE}\n")
        words = [str(self.folder / part) for part in ("nginx", "vhosts", "state")]
        return self.guard("restore", *words).stdout


@pytest.fixture
def panel(tmp_path: Path) -> Panel:
    """Just written anew."""
    made = Panel(tmp_path)
    made.vhost.write_text(PANELS)
    made.vhost.chmod(0o640)
    return made


def test_our_line_comes_back_and_all_else_stays(panel: Panel) -> None:
    assert "put back" in panel.restore()
    assert panel.vhost.read_text() == OURS
    assert panel.vhost.stat().st_mode & 0o777 == 0o640
    assert panel.restore() == ""
    assert panel.guard("check", str(panel.folder / "vhosts")).returncode == 0


def test_each_server_block_gets_it_once(panel: Panel) -> None:
    panel.vhost.write_text(f"{OURS}{PANELS}{LINE}")
    panel.restore()
    assert panel.vhost.read_text() == OURS * 2


def test_what_nginx_refuses_stays_as_the_panel_wrote_it(panel: Panel) -> None:
    assert "nginx refuses it with that: no such directive" in panel.restore("echo no such directive >&2; exit 1")
    assert panel.vhost.read_text() == PANELS
    assert panel.guard("check", str(panel.folder / "vhosts")).returncode == 1


@pytest.mark.parametrize("text", ["", "# empty\n"])
def test_a_file_without_a_server_is_told_and_left(panel: Panel, text: str) -> None:
    panel.vhost.write_text(text)
    assert "has no server_name" in panel.restore()
    assert panel.vhost.read_text() == text


def test_a_file_that_is_gone_is_told(panel: Panel) -> None:
    panel.vhost.unlink()
    assert "is not there" in panel.restore()


def test_an_alert_lasts_for_its_time(panel: Panel) -> None:
    panel.restore()
    state = panel.folder / "state"
    told = panel.guard("told", "60", str(state))
    assert told.returncode == 1
    assert "put back" in told.stdout
    (state / "api.told").write_text("1000 api: long ago\n")
    assert panel.guard("told", "60", str(state)).returncode == 0


def test_the_monitor_asks_what_the_guard_had_to_do(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    for folder in (REPOSITORY / "templates").iterdir():
        if folder.name != "panel":
            (tmp_path / "templates" / folder.name).symlink_to(folder)
    (tmp_path / "templates" / "panel").mkdir()
    for file in (REPOSITORY / "templates" / "panel").iterdir():
        (tmp_path / "templates" / "panel" / file.name).symlink_to(file)
    (tmp_path / "templates" / "panel" / "ours.j2").write_text("location = /ours { return 204; }\n")
    settings = {"panel": {"vhosts": {"api": {"path": "/www/api.conf", "template": "ours.j2"}}}, "monitor": {}}
    fleet(tmp_path, settings)
    checks = resource(compiled(tmp_path, "monitor", settings), "file /etc/hostmuster/monitor/checks").content.decode()
    assert "ready hostmuster-panel.path /etc/hostmuster/panel/guard told 600 /run/hostmuster-panel" in checks
    units = resource(compiled(tmp_path, "panel", settings), "file /etc/systemd/system/hostmuster-panel.path")
    assert "PathChanged=/www/api.conf" in units.content.decode()
