"""How the rows of a Fernet key are encrypted anew: commands of the service's own, declared by its operator (K6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Final, Literal, Protocol, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from hostmuster.model.fleet import Host
from hostmuster.model.types import EnvName, HostName, UnitName, wrong

Key = Literal["current", "next"]
Act = Literal["dump", "migrate", "prove", "put back"]
UNIT: Final = "hostmuster-rows.service"
_CREDENTIAL: Final = "hostmuster-rows-"


def _argv(value: tuple[str, ...]) -> tuple[str, ...]:
    if not value or not value[0].startswith("/"):
        raise wrong("a command without its program's path", "begin it with an absolute path, as in [/usr/bin/app, ...]")
    if any(not word.isprintable() for word in value):
        raise wrong("a word that is not printable text", "no line break or control character in a command")
    return value


Argv = Annotated[tuple[str, ...], AfterValidator(_argv), Field(examples=[["/opt/app/rows", "migrate"]])]


class RowCommands(BaseModel):
    """Each runs on `host` as `unit` would: its user, its environment, its credentials, its sandbox; once, and alone.

    `env`: variables that hold a key beside that; `files`: variables that name a file of it. `dump` writes all rows to
    its standard output, `put_back` reads them from its standard input; both leave them encrypted. `migrate` leaves
    alone what opens with the next key already, and `prove` fails unless every row opens with it. The last line that
    each of them prints is shown.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    host: HostName
    unit: UnitName
    env: dict[EnvName, Key] = {}
    files: dict[EnvName, Key] = {}
    dump: Argv
    migrate: Argv
    prove: Argv
    put_back: Argv

    def argv(self, act: Act) -> tuple[str, ...]:
        """The command of an act."""
        return {"dump": self.dump, "migrate": self.migrate, "prove": self.prove, "put back": self.put_back}[act]

    def service(self, act: Act, folder: str) -> str:
        """What makes another service of the unit's own lines, which come before it: systemd.service(5)."""
        return "".join(f"{line}\n" for line in self._lines(act, folder))

    def _lines(self, act: Act, folder: str) -> Iterator[str]:
        yield from ("[Service]", "Type=oneshot", "Restart=no", "RemainAfterExit=no", "TimeoutStartSec=infinity")
        yield from (f"Exec{when}=" for when in ("Condition", "StartPre", "Start", "StartPost", "Stop", "StopPost"))
        yield from ("SuccessExitStatus=", "WatchdogSec=0")
        yield f"ExecStart={' '.join(map(_quoted, self.argv(act)))}"
        yield f"StandardInput={f'file:{folder}/rows' if act == 'put back' else 'null'}"
        yield from (f"StandardOutput=file:{folder}/.out", f"StandardError=file:{folder}/.said")
        if self.env:
            yield f"EnvironmentFile={folder}/keys.env"
        for key in sorted(set(self.files.values())):
            yield f"LoadCredential={_CREDENTIAL}{key}:{folder}/{key}"
        yield from (f"Environment={name}=%d/{_CREDENTIAL}{key}" for name, key in self.files.items())


class _Settings(Protocol):
    migrations: Mapping[str, RowCommands]


def commands_of(host: Host) -> Mapping[str, RowCommands]:
    """By secret, as the settings of the item secrets have it for the host."""
    declared = host.resolved.models.get("secrets")
    return cast("_Settings", declared).migrations if declared is not None else {}


def _quoted(word: str) -> str:
    """One word of a command line, with nothing in it for systemd to replace."""
    plain = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{plain}"'
