"""The Debian mirror, as the machine's own apt configuration names it (sources.list(5), both formats)."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hostmuster.errors import Refused
from hostmuster.lab import tool

POCKETS = ("", "-updates", "-security")


@dataclass(frozen=True)
class Mirror:
    """Where each pocket ("", "-updates", "-security") of a Debian release is fetched from."""

    addresses: tuple[tuple[str, str], ...]
    upstream_proxy: str = ""
    ignore_dates: bool = False

    @property
    def main(self) -> str:
        """The address of the release itself, as debootstrap takes it."""
        return dict(self.addresses)[""]

    def sources(self, suite: str) -> str:
        """A deb822 sources file for a release."""
        return "\n".join(
            f"Types: deb\nURIs: {address}\nSuites: {suite}{pocket}\nComponents: main\n"
            "Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n"
            for pocket, address in self.addresses
        )

    @classmethod
    def of_this_machine(cls, etc: Path = Path("/etc")) -> Mirror:
        """Read it from the files under `etc`. Refused when they name no mirror of the machine's own release."""
        release = codename(etc)
        found: dict[str, str] = {}
        for address, suite in [*one_line(etc), *deb822(etc)]:
            for pocket in POCKETS:
                if suite in {release + pocket, "stable" + pocket}:
                    found.setdefault(pocket, through_cache(address))
        if "" not in found:
            raise Refused(
                f"no Debian mirror for {release} in the machine's apt configuration",
                where=str(etc / "apt"),
                remedy="the lab builds its hosts from the mirror named there; add one and run apt-get update",
            )
        return cls(
            tuple((pocket, found[pocket]) for pocket in POCKETS if pocket in found),
            setting("Acquire::http::Proxy").removeprefix("DIRECT"),
            setting("Acquire::Check-Valid-Until") == "false",
        )


def codename(etc: Path) -> str:
    """VERSION_CODENAME of os-release(5)."""
    found = re.search(r'^VERSION_CODENAME="?([a-z]+)', (etc / "os-release").read_text(), re.MULTILINE)
    return found.group(1) if found else "stable"


def through_cache(address: str) -> str:
    """An https mirror, written the way apt-cacher-ng fetches it (its manual, "Access to SSL/TLS remotes")."""
    address = address.rstrip("/")
    return address.replace("https://", "http://HTTPS///", 1) if address.startswith("https://") else address


def one_line(etc: Path) -> Iterator[tuple[str, str]]:
    """(address, suite) of every `deb [options] ADDRESS SUITE COMPONENT...` line."""
    for file in [etc / "apt/sources.list", *sorted((etc / "apt/sources.list.d").glob("*.list"))]:
        for line in file.read_text().splitlines() if file.is_file() else []:
            found = re.match(r"\s*deb\s+(?:\[[^\]]*\]\s+)?(https?://\S+)\s+(\S+)\s+(.*)", line)
            if found and "main" in found.group(3).split():
                yield found.group(1), found.group(2)


def deb822(etc: Path) -> Iterator[tuple[str, str]]:
    """(address, suite) of every enabled stanza of the .sources files."""
    for file in sorted((etc / "apt/sources.list.d").glob("*.sources")):
        lines = [line for line in file.read_text().splitlines() if not line.startswith("#")]
        for stanza in re.split(r"\n\s*\n", "\n".join(lines)):
            fields = {k.lower(): v.split() for k, v in re.findall(r"^([\w-]+):((?:.|\n[ \t])*)", stanza, re.MULTILINE)}
            usable = "deb" in fields.get("types", []) and "main" in fields.get("components", [])
            if usable and fields.get("enabled", ["yes"]) != ["no"]:
                for address in fields.get("uris", []):
                    if address.startswith("http"):
                        yield from ((address, suite) for suite in fields.get("suites", []))


def setting(name: str) -> str:
    """One value of the machine's apt.conf(5), empty when it is not set."""
    done = subprocess.run(
        ["apt-config", "dump", "--format=%f=%v%n", name],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": tool.path()},
    )
    values = [line.partition("=")[2] for line in done.stdout.splitlines() if line.startswith(f"{name}=")]
    return values[0].strip() if values else ""
