"""What is done to the rows of a Fernet key on the one host that does it, as steps of its transaction (K6).

Beside the data lies a record: which key it is about, and the stage that was reached. It is on disk before the next act
begins. An act that was cut short is ended before any other begins.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, get_args

from hostmuster.env.file import render
from hostmuster.resources.step import Put, Run, Step
from hostmuster.secrets.rotation.migration import Migration, Stage
from hostmuster.secrets.row_commands import UNIT, Act, RowCommands
from hostmuster.secrets.succession import Succession

_FOLDER: Final = "/var/lib/hostmuster/migrations"
_BEFORE: Final[Mapping[Act, Stage]] = {"migrate": "migrating"}
_AFTER: Final[Mapping[Act, Stage]] = {
    "dump": "dumped",
    "migrate": "migrated",
    "prove": "proved",
    "put back": "put back",
}
_END: Final = f"systemctl stop -- {UNIT} 2>/dev/null; :"

# On disk with the way to it: a record in a folder that a power loss took away would be none.
_MAKE: Final = 'install -d -m 0700 -- "$@" && sync -- "${1%/*}" "$@"'
_MARK: Final = """\
cd "$1" && printf '%s\\n' "$2" >.record && sync -- .record && mv -f .record record && sync -- ."""

# The unit's own lines, then those that make the act of it, as its user (that of DynamicUser= goes by the unit's name).
# What it says goes to files of root's, which lie there before systemd opens them; the journal gets none of it.
_ACT: Final = f"""\
unit=$2 own=$3 keep=$4 at=/run/systemd/system/{UNIT}
{_END}
cd "$1" && rm -f .out .said && : >.out && : >.said || exit
lines=$(systemctl cat -- "$unit" 2>&1) || {{ echo "$lines"; exit 1; }}
user=$(systemctl show -p User --value -- "$unit")
lines=$(printf '%s\\n' "$lines" | awk '/^\\[/ {{ on = ($1 == "[Service]") }} on')
printf '%s\\n' "$lines" "$own" ${{user:+"User=$user"}} >"$at" && systemctl daemon-reload || exit
why=$(systemctl start -- {UNIT} 2>&1) || {{ said=$(tail -c 1000 .said); echo "${{said:-$why}}"; exit 1; }}
sync -- .out && mv -f .out "$keep" && sync -- ."""

# The record last: while it is there, whoever comes knows that there is something to end.
_CLEAR: Final = f"""\
cd "$1" 2>/dev/null || exit 0
rm -f rows keys.env current next told .out .said /run/systemd/system/{UNIT} && sync -- . && rm -f record .record &&
    cd / && rmdir -- "$1" && sync -- {_FOLDER} && systemctl daemon-reload"""


def steps(act: Act, name: str, commands: RowCommands, keys: Succession, to: str) -> list[Step]:
    """One act, between the stage before it and the one after it. `to`: what the record calls the next key."""
    folder = folder_of(name)
    service = commands.service(act, folder)
    done = Run(
        ("sh", "-c", _ACT, "sh", folder, commands.unit, service, "rows" if act == "dump" else "told"),
        undo=("sh", "-c", _END),
    ).patient
    before = [_marked(name, to, _BEFORE[act])] if act in _BEFORE else []
    return [_making(folder), *_keys(folder, commands, keys), *before, done, _marked(name, to, _AFTER[act])]


def marked(name: str, to: str, stage: Stage) -> list[Step]:
    """The record alone: an act has failed."""
    return [_making(folder_of(name)), _marked(name, to, stage)]


def cleared(name: str) -> list[Step]:
    """It is over, and every replica serves: neither keys, rows nor record are left."""
    return [Run(("sh", "-c", _CLEAR, "sh", folder_of(name)))]


def recorded(name: str) -> tuple[str, ...]:
    """Prints the record."""
    return ("cat", f"{folder_of(name)}/record")


def told(name: str) -> tuple[str, ...]:
    """Prints what the last act but a dump has said at its end."""
    return ("tail", "-n", "1", f"{folder_of(name)}/told")


def parsed(text: str) -> Migration | None:
    """The record; None where there is none."""
    to, _, stage = text.strip().partition(" ")
    return next((Migration(to, known) for known in get_args(Stage) if known == stage), None)


def folder_of(name: str) -> str:
    """Where all of it lies."""
    return f"{_FOLDER}/{name.replace('/', '.')}"


def _making(folder: str) -> Run:
    return Run(("sh", "-c", _MAKE, "sh", _FOLDER, folder))


def _marked(name: str, to: str, stage: Stage) -> Run:
    return Run(("sh", "-c", _MARK, "sh", folder_of(name), f"{to} {stage}"))


def _keys(folder: str, commands: RowCommands, keys: Succession) -> list[Step]:
    values = {"current": keys.current.text(), "next": keys.next.text() if keys.next else ""}
    given: dict[str, bytes] = {key: values[key].encode() for key in sorted(set(commands.files.values()))}
    if commands.env:
        given["keys.env"] = render("systemd", {name: values[key] for name, key in commands.env.items()})
    return [Put(f"{folder}/{file}", content, "0400", "root", "root") for file, content in given.items()]
