"""What a unit's process runs with (K1), told by digests under a salt of the run: no value comes back from the host."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hostmuster.item import Answer
from hostmuster.secrets.moment import MOMENT
from hostmuster.secrets.preflight.finding import VARIABLES

Way = str
"""`value`: a variable; `file`: a credential."""

# By the kernel's view of the process, not by files it may have been started from; a value goes through pipes alone.
# Credentials as it sees them itself: systemd mounts them for the unit.
_ASK: Final = f"""\
{MOMENT}unit=$1 salt=$2
shift 2
pid=$(systemctl show -p MainPID --value -- "$unit")
echo "state $(systemctl show -p ActiveState --value -- "$unit") ${{pid:-0}}"
[ "${{pid:-0}}" -gt 0 ] || exit 0
started=$(systemctl show -p ActiveEnterTimestamp --timestamp=us+utc --value -- "$unit")
if [ -n "$started" ] && changed=$(moment "$unit"); then
    echo "times $changed $(date -d "$started" +%s.%6N)"
fi
salted() {{ {{ printf %s "$salt"; cat; }} | sha256sum; }}
of() {{ grep -z "^$1=" "/proc/$pid/environ" | head -z -n 1 | cut -z -d= -f2- | tr -d '\\0'; }}
for name in $(tr '\\n\\0' ' \\n' <"/proc/$pid/environ" | sed -n 's/^\\([A-Za-z_][A-Za-z0-9_]*\\)=.*/\\1/p'); do
    case " $* " in
    *" $name "*) ;;
    *) case $name in {"|".join(f"{start}*" for start in VARIABLES)}) ;; *) continue ;; esac ;;
    esac
    echo "value $name $(of "$name" | salted)"
done
folder=$(of CREDENTIALS_DIRECTORY)
[ -n "$folder" ] || exit 0
for file in "/proc/$pid/root$folder"/*; do
    [ ! -f "$file" ] || echo "file ${{file##*/}} $(salted <"$file")"
done"""


@dataclass(frozen=True)
class Process:
    """`state`: systemd's of the unit. `current`: whether it was started since what it reads last changed; None
    where its host has no generation. Digests by the name of a variable, and by that of a credential."""

    state: str
    running: bool
    current: bool | None
    values: Mapping[str, str]
    files: Mapping[str, str]

    def has(self, way: Way, name: str) -> str | None:
        """The digest of what it was given under that name."""
        return (self.values if way == "value" else self.files).get(name)

    @classmethod
    def parse(cls, answer: Answer) -> Process:
        """From the answer to `question`."""
        words = [line.split() for line in answer.output.splitlines()]
        state, pid = next((line[1:3] for line in words if line[:1] == ["state"] and len(line) == 3), ("unknown", "0"))
        times = next((line[1:] for line in words if line[:1] == ["times"] and len(line) == 3), None)
        told = [line for line in words if len(line) > 2]
        values, files = ({name: digest for what, name, digest, *_ in told if what == way} for way in ("value", "file"))
        current = None if times is None else float(times[1]) >= float(times[0])
        return cls(state, pid != "0", current, values, files)


def question(unit: str, salt: str, *names: str) -> tuple[str, ...]:
    """What is asked on a host: all variables of K1's table, and these."""
    return ("sh", "-c", _ASK, "sh", unit, salt, *names)


def salted(salt: str, content: bytes) -> str:
    """The digest that a host must give of a value."""
    return hashlib.sha256(salt.encode() + content).hexdigest()
