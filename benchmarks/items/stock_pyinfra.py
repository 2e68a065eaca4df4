"""The benchmark's items as stock pyinfra operations: the same directory, files, units and restarts."""

from pathlib import Path

from pyinfra.context import host
from pyinfra.operations import files, systemd

TEMPLATES = Path(__file__).parent / "templates"

files.directory(
    name="The directory of the settings", path="/etc/bench", user="root", group="root", mode="755", _sudo=True
)

for number in range(1, 26):
    files.template(
        name=f"Settings, part {number}",
        src=str(TEMPLATES / "part.conf.j2"),
        dest=f"/etc/bench/part-{number}.conf",
        server=host.name,
        address=host.data.ssh_hostname,
        number=number,
        user="root",
        group="root",
        mode="644",
        _sudo=True,
    )

unit_files = [
    files.template(
        name=f"Unit file {number}",
        src=str(TEMPLATES / "bench.service.j2"),
        dest=f"/etc/systemd/system/bench-{number}.service",
        server=host.name,
        address=host.data.ssh_hostname,
        number=number,
        user="root",
        group="root",
        mode="644",
        _sudo=True,
    )
    for number in range(1, 6)
]


def any_unit_file_changed() -> bool:
    """Asked when the operations before it have run."""
    return any(unit_file.did_change() for unit_file in unit_files)


systemd.daemon_reload(name="systemd reads the unit files", _if=any_unit_file_changed, _sudo=True)

for number in range(1, 6):
    systemd.service(name=f"Unit {number}", service=f"bench-{number}.service", running=True, enabled=True, _sudo=True)

for number in range(1, 6):
    systemd.service(
        name=f"Restart of unit {number}",
        service=f"bench-{number}.service",
        restarted=True,
        _if=unit_files[number - 1].did_change,
        _sudo=True,
    )
