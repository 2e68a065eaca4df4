"""What environment a process or a shell ends up with, told by digests: no value comes back from the host."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from hostmuster.effects.service import NOT_TOLD, STANDS_STILL
from hostmuster.env.file import Values
from hostmuster.env.variable import text
from hostmuster.images.script import guarded
from hostmuster.item import Answer, Effect, Seen

# One line a variable: its name and the digest of NAME=VALUE, as the kernel shows it to root.
_OF_UNIT = f"""\
unit=$1; shift
pid=$(systemctl show -p MainPID --value -- "$unit")
[ "${{pid:-0}}" -gt 0 ] || {{ echo "$unit has no main process"; {STANDS_STILL}; }}
"""
_OF_CONTAINER = """\
container=$1; shift
pid=$(timeout 10 docker container inspect -f '{{.State.Pid}}' "$container" 2>/dev/null)
[ "${pid:-0}" -gt 0 ] || { echo "$container has no process"; exit 1; }
"""
_OF_PROCESS = """\
for name; do
    printf '%s ' "$name"
    grep -z "^$name=" "/proc/$pid/environ" | sha256sum
done"""

_NAMES = """\
pid=$(systemctl show -p MainPID --value -- "$1")
[ "${pid:-0}" -gt 0 ] || { echo "$1 has no main process"; exit 1; }
tr '\\n\\0' ' \\n' <"/proc/$pid/environ" | sed -n 's/^\\([A-Za-z_][A-Za-z0-9_]*\\)=.*/\\1/p'"""

_OF_SHELL = """\
path=$1; shift
env -i sh -c '. "$1" && shift && for name; do
    printf "%s " "$name"
    env -0 | grep -z "^$name=" | sha256sum
done' sh "$path" "$@" """

_SYSTEMS_OWN = frozenset(
    (
        "CREDENTIALS_DIRECTORY", "HOME", "INVOCATION_ID", "JOURNAL_STREAM", "LANG", "LOGNAME", "MEMORY_PRESSURE_WATCH",
        "MEMORY_PRESSURE_WRITE", "NOTIFY_SOCKET", "PATH", "RUNTIME_DIRECTORY", "SHELL", "STATE_DIRECTORY",
        "SYSTEMD_EXEC_PID", "USER", "WATCHDOG_PID", "WATCHDOG_USEC",
    )
)  # fmt: skip
"""What systemd gives any service by itself (systemd.exec(5), "Environment Variables Set or Propagated")."""


def of_process(unit: str, path: str, values: Values, deadline_s: float = 10.0) -> Effect:
    """The unit's main process has every variable of a file, each with the declared value."""
    return Effect(
        f"{unit} runs with {path}",
        ("sh", "-c", f"{_OF_UNIT}{_OF_PROCESS}", "sh", unit, *values),
        lambda answer: _judge(answer, values),
        deadline_s=deadline_s,
        of_service=True,
    )


def of_container(name: str, values: Values, deadline_s: float = 10.0) -> Effect:
    """The container's first process has every variable that it was declared with, each with its value."""
    return Effect(
        f"container {name} runs with its variables",
        ("sh", "-c", guarded(f"{_OF_CONTAINER}{_OF_PROCESS}"), "sh", name, *values),
        lambda answer: _judge(answer, values),
        deadline_s=deadline_s,
        of_service=True,
    )


def of_shell(path: str, values: Values) -> Effect:
    """A shell that reads the file with `.` exports every variable with the declared value."""
    return Effect(
        f"a shell reads {path}", ("sh", "-c", _OF_SHELL, "sh", path, *values), lambda answer: _judge(answer, values)
    )


def nothing_else(unit: str, names: Iterable[str], deadline_s: float = 10.0) -> Effect:
    """The main process has no variable but the declared ones and systemd's own (R2: a cleared environment)."""
    declared = _SYSTEMS_OWN | frozenset(names)

    def judge(answer: Answer) -> Seen:
        if answer.status != 0:
            return Seen(False, answer.output.strip())
        foreign = sorted(set(answer.output.split()) - declared)
        return Seen(not foreign, f"also {', '.join(foreign)}" if foreign else "nothing else")

    return Effect(f"{unit} has no foreign variable", ("sh", "-c", _NAMES, "sh", unit), judge, deadline_s=deadline_s)


def _judge(answer: Answer, values: Values) -> Seen:
    if answer.status == NOT_TOLD:
        return Seen(None, answer.output.strip())
    if answer.status != 0:
        return Seen(False, answer.output.strip())
    wanted = {name: _digest(name, text(value)) for name, value in values.items()}
    wrong = sorted(name for name, digest in wanted.items() if _digests(answer.output).get(name) != digest)
    if wrong:
        return Seen(False, f"another value or none: {', '.join(wrong)}")
    return Seen(True, f"{len(wanted)} variables as declared")


def _digests(output: str) -> Mapping[str, str]:
    lines = (line.split() for line in output.splitlines())
    return {words[0]: words[1] for words in lines if len(words) > 1}


def _digest(name: str, value: str) -> str:
    return hashlib.sha256(f"{name}={value}\0".encode()).hexdigest()
