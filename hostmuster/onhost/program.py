"""Programs for the on-host script: one line a verb, words separated by a space."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable

from hostmuster.onhost import script
from hostmuster.resources.step import Arm, Keep, Meet, Owe, Put, PutLink, Run, Sent

_PLAIN = re.compile(r"[A-Za-z0-9_./:=@,+%-]+")


def word(text: str) -> str:
    r"""One word of a line: anything but plain characters as \0ooo, which the script resolves with printf %b."""
    if _PLAIN.fullmatch(text):
        return text
    if not text:
        return "\\c"
    return "".join(chr(byte) if _PLAIN.fullmatch(chr(byte)) else f"\\0{byte:03o}" for byte in text.encode())


def line(*words: str) -> str:
    """One line of a program."""
    return " ".join(map(word, words))


def change(item: str, transaction: str, steps: Iterable[Sent], *, arm_s: int = 0) -> str:
    """The lines of one transaction. Armed, it reverts `arm_s` seconds after its Arm step unless confirmed."""
    taken = list(steps)
    lines = ["begin"]
    for step in taken:
        lines.extend(_step(step, arm_s))
    armed = [script.encoded()] if Arm() in taken else []
    return "\n".join([*lines, " ".join(["commit", word(item), transaction, *armed])])


def _step(step: Sent, arm_s: int) -> Iterable[str]:
    match step:
        case Arm():
            yield line("arm", str(arm_s))
        case Meet():
            yield line("meet", str(step.seconds))
        case Put():
            content = base64.b64encode(step.content).decode() or "-"
            head = line("put", step.path, step.mode, step.owner, step.group)
            yield " ".join([head, content, *map(word, step.validate)])
        case PutLink():
            yield line("link", step.path, step.target)
        case Keep():
            yield line("keep", step.path)
        case Owe():
            yield line("owe", step.unit, step.action)
        case Run():
            if step.undo:
                yield line("undo", *step.undo)
            yield line("run", str(step.limit_s), *step.argv)
