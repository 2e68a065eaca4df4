"""Unit files (systemd.unit(5)): `systemd-analyze verify`, every message of which counts, and rules of our own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from hostmuster.errors import Refused
from hostmuster.lint.linter import Artefact, Said

remedy = "correct the template; systemd would ignore it with no more than a line in the journal, or not start the unit"

_ONLY_THE_HOST_KNOWS = re.compile(
    r"is not executable: No such file|Unit \S+ not found|: No such file or directory$|man \S+ command failed"
)
_DATE = re.compile(r"(?<!%)(?:%%)*(%[YmdHMS][-:/._T ]?%[YmdHMS])")
_SPAN = re.compile(r"^(\w*(?:Sec|USec))=(.*)$")


def version() -> str | None:
    """Which systemd-analyze is there, by the file: asking it for `--version` takes longer than a cached answer."""
    program = shutil.which("systemd-analyze")
    if program is None:
        return None
    file = Path(program).stat()
    return f"{program} {file.st_size} {file.st_mtime_ns}"


def parse(artefacts: Sequence[Artefact]) -> Said:
    """One call for all units that bear different names: a call costs half a second."""
    said: dict[Artefact, Sequence[str]] = {}
    waiting = list(artefacts)
    while waiting:
        batch = {artefact.name: artefact for artefact in reversed(waiting)}
        said |= _verify(batch)
        waiting = [artefact for artefact in waiting if artefact not in said]
    return said


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
        if (span := _SPAN.match(line)) and (why := _odd_span(span[2])):
            yield f"line {number}: {span[1]}={span[2]}: {why}"
    if "network-online.target" in told["After"] - told["Wants"] - told["Requires"] - told["BindsTo"]:
        yield "After=network-online.target orders only: nothing starts it without Wants=network-online.target"


def _told(lines: Sequence[str], key: str) -> frozenset[str]:
    return frozenset(word for line in lines if line.startswith(f"{key}=") for word in line.partition("=")[2].split())


def _odd_span(text: str) -> str | None:
    if re.search(r"\d\s*M\b", text):
        return "M is months; minutes are `m` or `min`"
    if re.search(r"[a-z]\s*\d+\s*$", text):
        return "the last number has no unit and counts as seconds: write its unit"
    return None


def _verify(batch: dict[str, Artefact]) -> Said:
    with tempfile.TemporaryDirectory(prefix="hostmuster-lint-") as folder:
        files = [Path(folder) / name for name in batch]
        for file in files:
            file.write_bytes(batch[file.name].content)
        # The units of this machine stay findable, since every unit needs basic.target; ours come first.
        done = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", *map(str, files)],
            env={**os.environ, "SYSTEMD_UNIT_PATH": f"{folder}:", "SYSTEMD_LOG_LEVEL": "info", "LC_ALL": "C"},
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode not in (0, 1):
        raise Refused(
            f"systemd-analyze verify ended with {done.returncode}: {done.stderr[-300:]}",
            where="lint",
            remedy="see that it runs on this machine, or take it off the PATH: then the hosts' own checks units",
        )
    lines = [line.replace(f"{folder}/", "") for line in done.stderr.splitlines()]
    heard = [line for line in lines if not _ONLY_THE_HOST_KNOWS.search(line)]
    return {artefact: [_short(line, name) for line in heard if _is_of(line, name)] for name, artefact in batch.items()}


def _is_of(line: str, name: str) -> bool:
    return line.startswith((f"{name}:", f"Unit {name} ", f"Failed to prepare filename {name}"))


def _short(line: str, name: str) -> str:
    return re.sub(r"^(\d+): ", r"line \1: ", line.removeprefix(f"{name}:").strip())
