"""What items declare becomes resources: templates are rendered, template folders become their files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from hostmuster.errors import InputError, Problem
from hostmuster.model.fleet import Host
from hostmuster.resources.directory import Directory
from hostmuster.resources.file import File
from hostmuster.resources.resource import Resource
from hostmuster.template import MOST_BYTES, Declared, Templated, Templates, Tree


class Expansion:
    """Expands host after host; `problems` gives what was wrong, each mistake once with the hosts it hits."""

    def __init__(self, templates: Templates) -> None:
        self._templates = templates
        self._wrong: dict[Problem, list[str]] = {}

    def expand(self, host: Host, declared: Iterable[Declared]) -> Iterator[Resource]:
        """The resources of one item on one host; what cannot be made is left out and kept for `problems`."""
        for one in declared:
            try:
                match one:
                    case Templated():
                        yield self._file(host, one)
                    case Tree():
                        yield from self._tree(host, one)
                    case _:
                        yield one
            except InputError as error:
                for problem in error.problems:
                    self._wrong.setdefault(problem, []).append(host.name)

    @property
    def problems(self) -> list[Problem]:
        """Every mistake so far."""
        return [replace(p, what=f"{p.what} (for {named(hosts)})") for p, hosts in self._wrong.items()]

    def _file(self, host: Host, one: Templated) -> File:
        content = self._templates.render(one.template, {**one.values, "host": host})
        return replace(one.file, content=content)

    def _tree(self, host: Host, tree: Tree) -> Iterator[Resource]:
        folders: set[str] = set()
        yield Directory(tree.path, tree.directory_mode, tree.owner, tree.group)
        for found in self._templates.files(tree.folder):
            place = found.name.removeprefix(f"{tree.folder}/")
            above, _, name = place.rpartition("/")
            bare = name.removesuffix(".j2")
            if bare in tree.leave_out:
                continue
            for folder in _upward(above):
                if folder not in folders:
                    folders.add(folder)
                    yield Directory(f"{tree.path}/{folder}", tree.directory_mode, tree.owner, tree.group)
            path = "/".join(filter(None, [tree.path, above, bare]))
            mode = _executable(tree.file_mode) if found.executable else tree.file_mode
            file = File(path, b"", mode, tree.owner, tree.group)
            if name.endswith(".j2"):
                yield self._file(host, Templated(file, found.name, tree.values))
            else:
                yield replace(file, content=self._templates.read(found.name))


def too_large(host: str, resources: Iterable[Resource]) -> Iterator[Problem]:
    """Files of items that are no configuration any more."""
    for one in resources:
        if isinstance(one, File) and len(one.content) > MOST_BYTES:
            what = f"{one.path} has {len(one.content)} bytes; a file of an item has at most {MOST_BYTES}"
            yield Problem(host, what, "ship large content as a release, not as configuration")


def named(hosts: Iterable[str]) -> str:
    """Up to three hosts by name, the rest by number."""
    listed = list(dict.fromkeys(hosts))
    rest = f" and {len(listed) - 3} more" if len(listed) > 3 else ""
    return ", ".join(listed[:3]) + rest


def _upward(folder: str) -> Iterator[str]:
    """a, a/b, a/b/c for a/b/c."""
    parts = folder.split("/") if folder else []
    yield from ("/".join(parts[: depth + 1]) for depth in range(len(parts)))


def _executable(mode: str) -> str:
    """x for everybody who may read."""
    return mode[0] + "".join(str(int(digit) | 1) if int(digit) & 4 else digit for digit in mode[1:])
