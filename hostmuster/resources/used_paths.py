"""Paths that units and settings rely on and that no item writes: code must be the same on all hosts, the rest be there.

What lies in /usr is Debian's, and its version is compared; /usr/local and /opt are where code of one's own lies.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from hostmuster.resources.alike import Alike
from hostmuster.resources.resource import Probe, Question
from hostmuster.resources.stat import STAT

LOCAL = ("host-state.json", "autoscaler-state.json", "__pycache__", ".git")
"""Names that never count: a host's own state (H6), and what is made of the same code in another way on each host."""
MOST_BYTES = 256 << 20
"""Of a folder whose contents are read; of a larger one names and sizes are compared, so that no look takes long."""
MOST_S = 10

_SCRIPT = f"""\
tree() {{ find . {" ".join(f"-name {name} -prune -o" for name in LOCAL)} "$@"; }}
export LC_ALL=C
for path; do
    if [ -d "$path" ]; then
        say=$(cd -- "$path" && tree -type f -printf '%s\\n' | awk '{{s += $1}} END {{exit s > {MOST_BYTES}}}' &&
            {{ tree -printf '%y %P %l\\n' | sort; tree -type f -print0 | sort -z | xargs -0r sha256sum; }} |
            sha256sum) || say="names and sizes $(cd -- "$path" && tree -type f -printf '%P %s\\n' | sort | sha256sum)"
    elif [ -f "$path" ]; then
        say=$(sha256sum <"$path")
    else
        say=missing
    fi
    printf '%s|%s\\n' "$path" "${{say%  -}}"
done
"""
_PATH = re.compile(r"/[A-Za-z0-9_+@.-]+(?:/[A-Za-z0-9_+@.-]+)*/?")
_NOT_OURS = re.compile(r"/(bin|sbin|lib\w*|usr(?!/local/)|dev|proc|sys|run|var/run|tmp|var/tmp|etc)(/|$)")
_PROGRAMS = re.compile(r"(Exec\w+)=[-@:+!|]*(.*)")
_OTHERS = re.compile(r"(?:WorkingDirectory|RootDirectory|EnvironmentFile|Environment|\w*Paths)=(.*)")
_CODE = re.compile(r"(/opt/[^/]+)(/.*)?")


def _split(output: str, keys: Sequence[str]) -> Mapping[str, str]:
    lines = (line.rpartition("|") for line in output.splitlines())
    return {path: said for path, bar, said in lines if bar}


CODE = Probe("code", ("timeout", str(MOST_S), "sh", "-c", _SCRIPT, "sh"), _split)
"""A path that was not come to in time has no answer, and is not compared."""


@cache
def of_unit(content: bytes) -> tuple[Alike, ...]:
    """What a unit's file relies on: its programs, and every other path that it names."""
    return tuple(_of_unit(content))


def _of_unit(content: bytes) -> Iterator[Alike]:
    for line in content.decode("utf-8", "replace").replace("\\\n", " ").splitlines():
        if found := _PROGRAMS.fullmatch(line):
            program, *arguments = _words(found[2]) or [""]
            yield from _code(program) if _counts(program) else ()
            yield from of_values(arguments)
        elif found := _OTHERS.fullmatch(line):
            yield from of_values(_words(found[1]))


def of_values(values: Iterable[object]) -> Iterator[Alike]:
    """Of settings (`/srv/x`, `NAME=/srv/x`, `--root=/srv/x`, `/srv/x:/data:ro`) those that name a path."""
    for value in values:
        for text in dict.fromkeys((str(value), str(value).partition("=")[2])):
            path = text.lstrip("-+").partition(":")[0].rstrip("/")
            if _counts(path):
                yield from _code(path) if _CODE.fullmatch(path) else _there(path)


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _counts(path: str) -> bool:
    return bool(_PATH.fullmatch(path)) and not _NOT_OURS.match(path)


def _code(path: str) -> Iterator[Alike]:
    """Of what lies in /opt/NAME the whole folder: a program is more than the file that is started."""
    inside = _CODE.fullmatch(path)
    place = inside[1] if inside else path
    yield Alike(place, Question(CODE, place), _digest, path=place)


def _there(path: str) -> Iterator[Alike]:
    yield Alike(path, Question(STAT, path), _kind, path=path)


def _digest(answer: str | None) -> str | None:
    if answer is None or answer == "missing":
        return answer
    how, _, digest = answer.rpartition(" ")
    return " ".join(filter(None, [how, "sha256", digest[:12]]))


def _kind(answer: str | None) -> str:
    return "missing" if answer is None else f"a {answer.partition('|')[0].replace('empty ', '')}"
