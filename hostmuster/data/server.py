"""Debian's PostgreSQL on a host: one cluster of that release's version, its files, and who may come in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from hostmuster.data.declaration import Database
from hostmuster.model.fleet import Host
from hostmuster.resources.directory import Directory
from hostmuster.resources.file import UNIT_FOLDER, File
from hostmuster.resources.package import Package
from hostmuster.resources.unit import Unit
from hostmuster.resources.unit_file import unit_file
from hostmuster.secrets.reader import drop_ins
from hostmuster.template import Declared, Templated

MAJOR: Final = {12: 15, 13: 17}
"""By Debian's release."""
ROLE_UNIT: Final = "database-role.service"
PASSWORD: Final = "password"  # noqa: S105 - a file's name
PROGRAMS: Final = "/usr/local/lib/hostmuster"
_ROLE: Final = files("hostmuster.data").joinpath("role.sh").read_bytes()


@dataclass(frozen=True)
class Server:
    """The one on `host`."""

    host: Host
    want: Database

    @property
    def major(self) -> int:
        """PostgreSQL's version."""
        return MAJOR[self.host.debian]

    @property
    def unit(self) -> str:
        """The cluster's service."""
        return f"postgresql@{self.major}-main.service"

    @property
    def folder(self) -> str:
        """The cluster's configuration."""
        return f"/etc/postgresql/{self.major}/main"

    @property
    def clients(self) -> dict[str, str]:
        """The hosts that may come in: name to address."""
        roles = set(self.want.clients)
        return {one.name: one.address for one in self.host.fleet.hosts.values() if roles & set(one.roles)}

    def resources(self) -> Iterator[Declared]:
        """The unit's ways before its package; then the configuration, the server, and the role with its password."""
        name = self.want.name
        drop_in = f"{UNIT_FOLDER}{self.unit}.d/hostmuster.conf"
        yield Directory(drop_in.rpartition("/")[0])
        configuration = f"{self.folder}/conf.d/hostmuster.conf"
        values: dict[str, object] = {"configuration": configuration}
        yield Templated(File(drop_in, b"", lint="systemd-unit"), "database/drop-in.j2", values)
        yield Package(f"postgresql-{self.major}")
        values = {"address": self.host.address, "want": self.want}
        conf = File(configuration, b"", restarts=(self.unit,))
        yield Templated(conf, "database/postgresql.conf.j2", values)
        hba = File(f"{self.folder}/pg_hba.conf", b"", "0640", "postgres", "postgres", reloads=(self.unit,))
        yield Templated(hba, "database/pg_hba.conf.j2", {"name": name, "clients": self.clients})
        yield Directory(PROGRAMS)
        program = f"{PROGRAMS}/database-role.sh"
        yield File(program, _ROLE, "0755", validate=("sh", "-n"), restarts=(ROLE_UNIT,), lint="shell")
        values = {"program": program, "name": name, "server": self.unit}
        yield unit_file(ROLE_UNIT, "database/database-role.service.j2", values)
        ready = ("pg_isready", "-q", "-h", self.host.address, "-p", str(self.want.port))
        yield Unit(self.unit, drop_ins=(drop_in,), ready=ready)
        yield Unit(ROLE_UNIT, drop_ins=drop_ins(self.host, ROLE_UNIT))
