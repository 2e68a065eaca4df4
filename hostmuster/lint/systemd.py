"""Unit files and drop-ins (systemd.unit(5)): `systemd-analyze verify`, of which every message counts, and our rules."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from hostmuster.errors import Refused
from hostmuster.lint.linter import Artefact, Said
from hostmuster.lint.parser import run, version_of
from hostmuster.lint.timespan import odd, seconds

programs = "systemd-analyze"
remedy = "correct the template; systemd would ignore it with no more than a line in the journal, or not start the unit"

_ONLY_THE_HOST_KNOWS = re.compile(
    r"is not executable: No such file|Unit \S+ not found|: No such file or directory$|man \S+ command failed"
)
_DATE = re.compile(r"(?<!%)(?:%%)*(%[YmdHMS][-:/._T ]?%[YmdHMS])")
_CALENDAR = re.compile(r"(?m)^OnCalendar=(\S.*)$")
_DOCKER_STOP = re.compile(r"^ExecStop=.*\bdocker stop\b(?:.*?\s(?:-t|--time)[ =](\d+))?")
_DEFAULT_STOP_S = 90
_SPAN = re.compile(r"^(\w*(?:Sec|USec))=(.*)$")


def version() -> str | None:
    """systemd-analyze's, by its file."""
    return version_of("systemd-analyze")


def parse(artefacts: Sequence[Artefact]) -> Said:
    """One call for all units that bear different names: a call costs half a second."""
    said: dict[Artefact, Sequence[str]] = {}
    waiting = list(artefacts)
    while waiting:
        batch = {_unit(artefact): artefact for artefact in reversed(waiting)}
        said |= _verify(batch)
        waiting = [artefact for artefact in waiting if artefact not in said]
    return {artefact: [*lines, *_calendars(artefact)] for artefact, lines in said.items()}


def traps(artefact: Artefact) -> Iterator[str]:
    """What `verify` passes in silence (systemd 252 to 257)."""
    lines = artefact.content.decode("utf-8", "replace").replace("\\\n", "  ").splitlines()
    section = ""
    told = {key: _told(lines, key) for key in ("After", "Wants", "Requires", "BindsTo")}
    for number, line in enumerate(lines, 1):
        if line.startswith(("#", ";")):
            continue
        if line.startswith("["):
            section = line
        if found := _DATE.search(line):
            yield f"line {number}: {found[1]} looks like a date, and systemd expands it to something else: write %%"
        if section == "[Service]" and line.startswith("StartLimit"):
            yield f"line {number}: {line.partition('=')[0]} belongs in [Unit]"
        if (span := _SPAN.match(line)) and (why := odd(span[2])):
            yield f"line {number}: {span[1]}={span[2]}: {why}"
    if "network-online.target" in told["After"] - told["Wants"] - told["Requires"] - told["BindsTo"]:
        yield "After=network-online.target orders only: nothing starts it without Wants=network-online.target"
    yield from _stop_budget(lines)


def users(unit: bytes) -> frozenset[str]:
    """The users and groups that the unit runs as: `verify` does not ask whether they are there (217/USER at start)."""
    lines = unit.decode("utf-8", "replace").splitlines()
    if "DynamicUser=yes" in lines:
        return frozenset()
    named = _told(lines, "User") | _told(lines, "Group") | _told(lines, "SupplementaryGroups")
    return frozenset(name for name in named if "%" not in name and not name.isdigit())


def _stop_budget(lines: Sequence[str]) -> Iterator[str]:
    """Whoever gives up first kills: docker must have done so before systemd does."""
    stops = [seconds(line.partition("=")[2]) for line in lines if line.startswith("TimeoutStopSec=")]
    budget = next((stop for stop in reversed(stops) if stop is not None), _DEFAULT_STOP_S)
    for line in lines:
        if (found := _DOCKER_STOP.match(line)) and int(found[1] or 10) >= budget:
            yield f"docker stop waits {found[1] or 10} s, and TimeoutStopSec ends it after {budget:g} s: give it more"


def _calendars(artefact: Artefact) -> Iterator[str]:
    for spec in _CALENDAR.findall(artefact.content.decode("utf-8", "replace")):
        heard = run("sh", "-c", 'systemd-analyze calendar "$0" >&2', spec, folder="")
        if any(line == "Next elapse: never" for line in heard.lines):
            yield f"OnCalendar={spec} never comes (again)"


def _told(lines: Sequence[str], key: str) -> frozenset[str]:
    return frozenset(word for line in lines if line.startswith(f"{key}=") for word in line.partition("=")[2].split())


def _unit(artefact: Artefact) -> str:
    """The unit's name; of a drop-in, that of the unit it is for."""
    folder = artefact.path.split("/")[-2]
    return folder.removesuffix(".d") if folder.endswith(".service.d") else artefact.name


def _verify(batch: dict[str, Artefact]) -> Said:
    with tempfile.TemporaryDirectory(prefix="hostmuster-lint-") as folder:
        for name, artefact in batch.items():
            file = Path(folder) / name
            if name != artefact.name:
                # What the drop-in is for is on the host; here anything that it can be added to.
                file.write_text("[Service]\nExecStart=/bin/true\n")
                file = Path(folder) / f"{name}.d" / artefact.name
                file.parent.mkdir()
            file.write_bytes(artefact.content)
        # The units of this machine stay findable, since every unit needs basic.target; ours come first.
        heard = run(
            *("systemd-analyze", "verify", "--man=no", *(f"{folder}/{name}" for name in batch)),
            folder=folder,
            SYSTEMD_UNIT_PATH=f"{folder}:",
            SYSTEMD_LOG_LEVEL="info",
        )
    if heard.status not in (0, 1):
        raise Refused(
            f"systemd-analyze verify ended with {heard.status}: {' '.join(heard.lines)[-300:]}",
            where="lint",
            remedy="see that it runs on this machine, or take it off the PATH: then the hosts' own checks units",
        )
    lines = [line for line in heard.lines if not _ONLY_THE_HOST_KNOWS.search(line)]
    return {
        artefact: [_short(line, artefact.name) for line in lines if _is_of(line, name)]
        for name, artefact in batch.items()
    }


def _is_of(line: str, name: str) -> bool:
    return line.startswith((f"{name}:", f"{name}.d/", f"Unit {name} ", f"Failed to prepare filename {name}"))


def _short(line: str, name: str) -> str:
    return re.sub(r"^(\d+): ", r"line \1: ", re.sub(rf"^(\S+\.d/)?{re.escape(name)}:", "", line).strip())
