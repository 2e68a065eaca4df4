"""Templates: one folder an item below templates/, Jinja2, every variable given or the fleet does not compile."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import jinja2

from hostmuster.errors import InputError, Problem
from hostmuster.resources.file import File
from hostmuster.resources.resource import Resource

MOST_BYTES = 1 << 20
"""Of a template and of what it renders to: more is no configuration, and has its own channel (DESIGN.md)."""


@dataclass(frozen=True)
class Templated:
    """A file whose content a template gives: an item declares it, the compile stage turns it into the File.

    `template` is a path below templates/; it sees `values` and `host`.
    """

    file: File
    template: str
    values: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Tree:
    """Every file of a folder below templates/, at `path` with the folder's own subfolders.

    `*.j2` are templates and lose the ending; all else is copied byte for byte. `leave_out`: file names that
    are never copied, whatever the folder holds. An executable file gets x wherever `file_mode` has r.
    """

    path: str
    folder: str
    owner: str
    group: str
    file_mode: str = "0644"
    directory_mode: str = "0755"
    leave_out: frozenset[str] = frozenset()
    values: Mapping[str, object] = field(default_factory=dict)


Declared = Resource | Templated | Tree
"""What an item may yield."""


@dataclass(frozen=True)
class Found:
    """A file of a template folder: where, as `templates/...`; whether it may be executed."""

    name: str
    executable: bool


class Templates:
    """The templates of one project. Every error names the template as `templates/PATH:LINE`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._jinja = jinja2.Environment(  # noqa: S701  # configuration files, no HTML
            loader=jinja2.FileSystemLoader(folder, followlinks=True),
            undefined=jinja2.StrictUndefined,
            keep_trailing_newline=True,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )

    def render(self, name: str, values: Mapping[str, object]) -> bytes:
        """The template with its values. Raises InputError: missing, unreadable, wrong, a variable nobody gives."""
        try:
            self.read(name).decode()
            rendered = self._jinja.get_template(name).render(values).encode()
        except jinja2.TemplateNotFound as error:
            self._missing(str(error.name or name))
        except jinja2.TemplateSyntaxError as error:
            self._wrong(f"{error.name or name}:{error.lineno}", error.message or "not Jinja2", "correct it there")
        except UnicodeDecodeError as error:
            line = error.object[: error.start].count(b"\n") + 1
            self._wrong(f"{name}:{line}", "not UTF-8 there", "save it as UTF-8")
        except jinja2.UndefinedError as error:
            known = ", ".join(sorted(values)) or "nothing"
            remedy = f"correct the name, or give the value in the fleet file; the template is given: {known}"
            self._wrong(self._at(error, name), error.message or "undefined", remedy)
        except (TypeError, ValueError, ArithmeticError, LookupError, jinja2.TemplateError) as error:
            # What a template computes fails as Python does; nothing of ours is in its frames.
            self._wrong(self._at(error, name), f"{type(error).__name__}: {error}", "correct it there")
        if len(rendered) > MOST_BYTES:
            self._too_large(name, len(rendered), "renders to")
        return rendered

    def read(self, name: str) -> bytes:
        """A file as it lies there. Raises InputError: missing, over 1 MiB, or a template that is not UTF-8."""
        self._require_folder()
        path = self._folder / name
        try:
            if not path.is_file() or ".." in Path(name).parts or Path(name).is_absolute():
                self._missing(name)
            size = path.stat().st_size
            if size > MOST_BYTES:
                self._too_large(name, size, "has")
            body = path.read_bytes()
        except OSError as error:
            self._wrong(name, f"cannot be read: {error.strerror}", "make it readable for whoever runs hostmuster")
        return body

    def files(self, folder: str) -> list[Found]:
        """Every file below a folder, in order. Raises InputError: no such folder, a name that no host path may have."""
        self._require_folder()
        top = self._folder / folder
        if not top.is_dir():
            self._wrong(folder, "there is no such folder of templates", "make it, or correct its name")
        found = [path for path in sorted(top.rglob("*")) if path.is_file()]
        odd = [path for path in found if any(not c.isprintable() or c.isspace() for c in str(path.relative_to(top)))]
        if odd:
            names = ", ".join(ascii(str(path.relative_to(top))) for path in odd)
            self._wrong(folder, f"blanks or control characters in file names: {names}", "rename them")
        return [Found(str(path.relative_to(self._folder)), bool(path.stat().st_mode & 0o100)) for path in found]

    def _require_folder(self) -> None:
        """The same of every template, so that it is told once."""
        if not self._folder.is_dir():
            remedy = "copy the folder of that name from hostmuster's repository beside inventory/, or make your own"
            self._wrong("", "the project has no such folder, and its items write files from templates", remedy)

    def _at(self, error: Exception, name: str) -> str:
        """The innermost template line of a traceback (Jinja2 puts its templates there), also of an included one."""
        at = name
        for frame in traceback.extract_tb(error.__traceback__):
            if frame.filename.startswith(f"{self._folder}/"):
                at = f"{Path(frame.filename).relative_to(self._folder)}:{frame.lineno}"
        return at

    def _missing(self, name: str) -> NoReturn:
        there = ", ".join(sorted(str(p.relative_to(self._folder)) for p in self._folder.rglob("*") if p.is_file())[:20])
        self._wrong(name, "there is no such template", f"make it, or take one of: {there or 'none is there'}")

    def _too_large(self, name: str, size: int, verb: str) -> NoReturn:
        what = f"{verb} {size} bytes; a file of an item has at most {MOST_BYTES}"
        self._wrong(name, what, "ship large content as a release, not as configuration")

    def _wrong(self, at: str, what: str, remedy: str) -> NoReturn:
        raise InputError([Problem(f"templates/{at}", what, remedy)])
