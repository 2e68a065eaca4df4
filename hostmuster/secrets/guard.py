"""Keeps secrets out of git: ciphertext only in the stores' folder, and no known value in any file (H23)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Final

from hostmuster.errors import InputError, Problem, Refused
from hostmuster.report.redaction import Redaction
from hostmuster.secrets.any_store import AnyStore
from hostmuster.secrets.envelope import is_sealed
from hostmuster.secrets.sops import SopsFile
from hostmuster.secrets.staged import Staged
from hostmuster.secrets.store import Store
from hostmuster.secrets.tree import walk
from hostmuster.secrets.value import Secret

_NOWHERE: Final[Mapping[str, Callable[[], AnyStore]]] = MappingProxyType({})
_NO_SECRETS: Final = frozenset({"README.md", ".gitignore", ".gitattributes", ".gitkeep"})
_AGE: Final = (b"age-encryption.org/v1\n", b"-----BEGIN AGE ENCRYPTED FILE-----")
_PRIVATE: Final = re.compile(
    r"(?P<age>AGE-SECRET-KEY-(PQ-)?1[0-9A-Z]{50,})"
    r"|-----BEGIN ([A-Z]+ )?PRIVATE KEY-----\s+(([A-Za-z-]+: .*\s+)*)[A-Za-z0-9+/]{32,}"
)
_TAKE_OUT = "take it out (git restore --staged FILE); one that was pushed is to be replaced"

_ENCRYPT = "encrypt it (sops, age), or take it out (git restore --staged FILE)"


def known_values(
    folder: Path, elsewhere: Mapping[str, Callable[[], AnyStore]] = _NOWHERE
) -> tuple[dict[str, Redaction], list[str]]:
    """What to look for, by `STORE NAME`, out of every store that can be opened here; and which could not, and why.

    `elsewhere`: stores that are no files of the folder, by what they are called. Raises Tampered or InputError for one
    that does not hold. Nothing is written anywhere.
    """
    known: dict[str, Redaction] = {}
    closed: list[str] = []
    stores: dict[str, Callable[[], AnyStore]] = {p.name: partial(Store.read, p) for p in sorted(folder.glob("*.yml"))}
    for name, opened in {**stores, **elsewhere}.items():
        try:
            values = opened().confidential()
        except InputError:
            raise
        except Refused as error:
            closed.append(f"{name}: {error.what.splitlines()[0]}")
            continue
        known |= {f"{secret} ({name})": Redaction([_telling(value)]) for secret, value in values.items()}
    return known, closed


def findings(file: Staged, folder: PurePosixPath | None, known: Mapping[str, Redaction]) -> Iterator[Problem]:
    """What must not be committed, by file and line, without any value. `folder`: the stores', in the work tree."""
    if folder is not None and folder in PurePosixPath(file.path).parents:
        yield from _in_clear(file)
    for line, what in _private_keys(file.text):
        yield Problem(f"{file.path}:{line}", f"{what} stands there", _TAKE_OUT)
    for name, redaction in known.items():
        if redaction.places(file.path):
            yield Problem("a file's name", f"the value of {name} stands in it", _TAKE_OUT)
        if places := redaction.places(file.text):
            line = file.text.count("\n", 0, places[0][0]) + 1
            yield Problem(f"{file.path}:{line}", f"the value of {name} stands there", _TAKE_OUT)


def _private_keys(text: str) -> Iterator[tuple[int, str]]:
    """Keys by their form, whoever they belong to: a line with its beginning, and the first line of its body."""
    for found in _PRIVATE.finditer(text):
        what = "an age key" if found["age"] else "a private key"
        yield text.count("\n", 0, found.start()) + 1, what


def _in_clear(file: Staged) -> Iterator[Problem]:
    if PurePosixPath(file.path).name in _NO_SECRETS or file.content.startswith(_AGE):
        return
    try:
        sops = SopsFile.parse(file.content.decode("utf-8"), file.path)
    except InputError as error:
        yield from (Problem(one.where, f"no ciphertext: {one.what}", _ENCRYPT) for one in error.problems)
        return
    except UnicodeDecodeError:
        sops = None
    if sops is None:
        yield Problem(file.path, "no ciphertext: neither a SOPS file nor one that age encrypted", _ENCRYPT)
        return
    for path, leaf in walk(sops.tree):
        # A value is sealed whatever the file's own rules say: they are part of what is checked.
        due = path[-1] == "value" or sops.section.rules.encrypted(path)
        if due and leaf.value not in (None, "") and not is_sealed(leaf.value):
            yield Problem(f"{file.path}:{leaf.line}", f"{'.'.join(path)} stands there in clear", _TAKE_OUT)


def _telling(value: Secret) -> Secret:
    """Of a PEM's text the lines that are the key's own: the first begins, and the last ends, as others' do."""
    lines = value.reveal().splitlines()
    if not lines or not lines[0].startswith(b"-----BEGIN ") or len(lines) < 5:
        return value
    return Secret(b"\n".join(lines[2:-2]))
