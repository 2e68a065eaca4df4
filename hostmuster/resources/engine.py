"""A host's Docker engine: whichever answers is accepted; Debian's is installed where there is none."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hostmuster.images.script import command
from hostmuster.images.trouble import Trouble
from hostmuster.resources.content import CONTENT
from hostmuster.resources.package import installed
from hostmuster.resources.resource import Difference, Observation, Probe, Question
from hostmuster.resources.step import Blocked, Put, Run, Step

DAEMON = "/etc/docker/daemon.json"
OURS = "/etc/docker/installed-by-hostmuster"
UNIT = "docker.service"


def _split(output: str, keys: Sequence[str]) -> Mapping[str, str]:
    return dict.fromkeys(keys, output)


ENGINE = Probe("engine", command("engine"), _split)
_THIS = Question(ENGINE, "engine")  # the script's verb takes no words; one engine a host


@dataclass(frozen=True)
class Engine:
    """`packages` are installed where no engine is; one in use is never replaced or restarted. Source: H2, O6.

    `live_restore` None: on where hostmuster installed the engine, elsewhere as found. `insecure`: registries without
    TLS. Both are taken up by a reload, which ends no container; other settings of daemon.json are kept.
    """

    packages: tuple[str, ...]
    live_restore: bool | None = None
    insecure: tuple[str, ...] = ()
    risky: bool = False

    @property
    def id(self) -> str:
        """`engine docker`."""
        return "engine docker"

    @property
    def claim(self) -> str:
        """Its settings' file."""
        return DAEMON

    def questions(self) -> Iterator[Question]:
        """What it answers, and its settings' file."""
        yield _THIS
        yield Question(CONTENT, DAEMON)

    def compare(self, seen: Observation) -> Iterator[Difference]:
        """None, silent, or with other settings than declared, as the running engine says."""
        now = _now(seen)
        if "program" not in now:
            yield Difference(self.id, "presence", "none", "one that answers")
            return
        if "version" not in now:
            trouble = Trouble.of(now)
            yield Difference(self.id, "state", f"silent ({trouble.text})" if trouble else "silent", "answering")
            return
        wanted = self._live(now)
        if wanted is not None and (now["live"] == "true") != wanted:
            yield Difference(self.id, "live-restore", now["live"], json.dumps(wanted))
        for registry in self._lacking(now):
            yield Difference(self.id, f"registry {registry}", "asked by TLS only", "asked without TLS")

    def steps(self, seen: Observation) -> Iterator[Step]:
        """Debian's packages, a start, or settings and a reload; what only its owner can mend is Blocked."""
        now = _now(seen)
        if "program" not in now:
            yield Run(("mkdir", "-p", "/etc/docker"))
            yield from self._settings(seen, {"live": "true", "ours": "yes"})
            yield Put(OURS, b"The engine's settings are hostmuster's (live-restore).\n", "0644", "root", "root")
            yield from installed(*self.packages)
        elif "version" in now:
            yield from self._settings(seen, now)
            live = self._live(now)
            told = command("reload", "-" if live is None else json.dumps(live), *self.insecure, name="reload docker")
            yield Run(told, undo=("sh", "-c", 'kill -HUP "$(pidof -s dockerd)"'))
        elif (trouble := Trouble.of(now)) is None:
            yield Blocked(f"{now['program']} is there and does not answer `docker info`: start it, or see its log")
        elif (trouble.unit, trouble.state) in ((UNIT, "inactive"), (UNIT, "failed")):
            yield Run(command("start", name="start docker"))
        else:
            yield Blocked(trouble.text)

    def _settings(self, seen: Observation, now: Mapping[str, str]) -> Iterator[Step]:
        try:
            found = json.loads(seen[Question(CONTENT, DAEMON)] or "{}")
        except ValueError:
            found = None
        if not isinstance(found, dict):
            yield Blocked(f"{DAEMON} is not JSON, and the engine would not start with it again: correct it")
            return
        wanted: dict[str, object] = {}
        live = self._live(now)
        if live is not None:
            wanted["live-restore"] = live
        if self.insecure:
            wanted["insecure-registries"] = sorted({*found.get("insecure-registries", ()), *self.insecure})
        twice = [key for key in wanted if f"--{key.removesuffix('-registries')}" in now.get("flags", "")]
        if twice:
            what = f"dockerd was started with --{twice[0]}, and refuses to start with it in {DAEMON} too"
            yield Blocked(f"{what}: take the option out of its unit, or leave it undeclared")
        elif found | wanted != found:
            content = json.dumps(found | wanted, indent=4) + "\n"
            yield Put(DAEMON, content.encode(), "0644", "root", "root")

    def _live(self, now: Mapping[str, str]) -> bool | None:
        return True if self.live_restore is None and "ours" in now else self.live_restore

    def _lacking(self, now: Mapping[str, str]) -> list[str]:
        return [registry for registry in self.insecure if registry not in now.get("registries", "").split()]


def _now(seen: Observation) -> dict[str, str]:
    now = {}
    for line in (seen[_THIS] or "").splitlines():
        name, _, value = line.partition(" ")
        now[name] = value
    return now
