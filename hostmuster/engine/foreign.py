"""The project's own Python code, which may raise anything: told as one error with the line of it that did."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import hostmuster
from hostmuster.errors import HostmusterError, Refused
from hostmuster.item import Answer, Seen

_OURS = str(Path(hostmuster.__file__).parent) + "/"


@contextmanager
def foreign(root: Path, where: str, remedy: str) -> Iterator[None]:
    """For what runs code of the project at `root`. Raises Refused with `where` for whatever it raises.

    An error of our own tree, which an item raises on purpose, is passed on as it is.
    """
    try:
        yield
    except HostmusterError:
        raise
    # Broad here and nowhere else: it is foreign code, and no list of what it may raise is whole. An exit of it would
    # end the engine without a word; an interruption is the operator's, and not caught.
    except (Exception, SystemExit) as error:
        said = traceback.format_exception_only(error)[-1].strip()
        raise Refused(f"{said} ({_line(error, root)})", where=where, remedy=remedy) from error


def judged(judge: Callable[[Answer], object], root: Path, where: str, remedy: str) -> Callable[[Answer], Seen]:
    """An effect's `judge` behind the border: it raises Refused for whatever it raises, and for what is not Seen."""

    def behind(answer: Answer) -> Seen:
        with foreign(root, where, remedy):
            seen = judge(answer)
            if not isinstance(seen, Seen):
                raise TypeError(f"its judge gives {seen!r}, not Seen")
            return seen

    return behind


def told(
    say: Callable[[str | None], object], root: Path, where: str, remedy: str
) -> Callable[[str | None], str | None]:
    """An Alike's `say` behind the border: what it raises is what it says. With `where` in it no two hosts say the same,
    so it is found."""

    def behind(answer: str | None) -> str | None:
        try:
            with foreign(root, where, remedy):
                said = say(answer)
                if said is None or isinstance(said, str):
                    return said
                raise TypeError(f"its say gives {said!r}, not str or None")
        except Refused as raised:
            return f"{where}: {raised.what}: {remedy}"

    return behind


def _line(error: BaseException, root: Path) -> str:
    """Where it was raised: the innermost line of the project's own code, else the innermost there is."""
    if isinstance(error, SyntaxError):
        return f"{error.filename}:{error.lineno}"
    frames = [one for one in traceback.extract_tb(error.__traceback__) if not one.filename.startswith("<")]
    own = [one for one in frames if _is_own(one.filename, root)]
    last = (own or frames)[-1]
    return f"{last.filename}:{last.lineno}"


def _is_own(file: str, root: Path) -> bool:
    return file.startswith(f"{root}/") and not file.startswith(_OURS) and "/site-packages/" not in file
