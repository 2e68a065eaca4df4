"""A panel that writes its virtual hosts anew drops our locations for a second, not for good, and somebody is told."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from typing import cast

from hostmuster.effects import panel as proofs
from hostmuster.item import Effect, Item, of_service
from hostmuster.model.fleet import Host
from hostmuster.panel.settings import Panel
from hostmuster.resources.directory import Directory
from hostmuster.resources.file import UNIT_FOLDER, File
from hostmuster.resources.retired import Retired
from hostmuster.resources.unit import Unit
from hostmuster.resources.unit_file import unit_file
from hostmuster.template import Declared, Templated

FOLDER = "/etc/hostmuster/panel"
STATE = "/run/hostmuster-panel"
SERVICE, PATH, TIMER = "hostmuster-panel.service", "hostmuster-panel.path", "hostmuster-panel.timer"
_SCRIPT = files("hostmuster.panel").joinpath("guard.sh").read_bytes()
# Our locations as nginx reads them: inside a server block.
_TEST = """
copy=$(mktemp) || exit
trap 'rm -f -- "$copy"' EXIT
printf 'pid /dev/null;\\nevents {}\\nhttp { server { listen unix:%s.socket; include %s; } }\\n' "$copy" "$1" >"$copy"
"$0" -t -q -c "$copy"
status=$?
rm -f -- "$copy.socket"
exit "$status\""""
ITEM = Item("panel", settings=Panel, only_declared=True, serves=True)


def resources(host: Host) -> Iterator[Declared]:
    """Our locations, each in a file that no panel writes; then what puts their line back, at first by its timer."""
    want = _settings(host)
    yield Directory(FOLDER)
    for name, one in want.vhosts.items():
        check = ("sh", "-c", _TEST.strip(), want.nginx)
        ours = File(_include(name), b"", validate=check, told=((want.nginx, "-s", "reload"),))
        yield Templated(ours, f"panel/{one.template}", one.values)
    yield File(f"{FOLDER}/guard", _SCRIPT, "0755", validate=("sh", "-n"), lint="shell")
    lines = [f"{name} {one.path} {_include(name)}\n" for name, one in want.vhosts.items()]
    yield File(f"{FOLDER}/vhosts", "".join(lines).encode())
    values = want.model_dump() | {"guard": f"{FOLDER}/guard", "vhosts_file": f"{FOLDER}/vhosts", "state": STATE}
    # A service that a path and a timer start owes nobody a restart.
    yield Templated(File(f"{UNIT_FOLDER}{SERVICE}", b"", lint="systemd-unit"), "panel/guard.service.j2", values)
    yield unit_file(PATH, "panel/guard.path.j2", values)
    yield unit_file(TIMER, "panel/guard.timer.j2", values)
    # The monitor asks what is `ready`: so a restored file is alerted, and over after a while.
    yield Unit(PATH, ready=(f"{FOLDER}/guard", "told", str(want.told_s), STATE))
    yield Unit(TIMER)


def leaving(host: Host) -> Iterator[Declared]:
    """The panel has its files for itself."""
    yield Retired(PATH)
    yield Retired(TIMER)


def effects(host: Host) -> Iterator[Effect]:
    """Each virtual host includes ours in every server block."""
    yield from of_service([proofs.included(f"{FOLDER}/guard", f"{FOLDER}/vhosts")])


def _include(name: str) -> str:
    return f"{FOLDER}/{name}.conf"


def _settings(host: Host) -> Panel:
    return cast("Panel", host.settings(ITEM.name))
