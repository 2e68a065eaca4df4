"""The lines of hosts and their items: hosts that stand alike are told once, where that is shorter."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from rich.text import Text

from hostmuster.tasks.events import ItemDone
from hostmuster.tasks.host_report import HostReport, Unlike

STATUS = {
    "ok": ("ok", "green"),
    "changed": ("changed", "yellow"),
    "differs": ("differs", "magenta"),
    "failed": ("failed", "bold red"),
    "skipped": ("skipped", "dim"),
    "not_run": ("not run", "dim"),
}
STATUS_WIDTH = max(len(word) for word, _ in STATUS.values())
SHORT_LABEL = 20
"""Columns that the names of several hosts may take before what is said of them; longer, they stand above it."""

Block = tuple[str, str, tuple[str, ...]]
"""A status, the items of a host that have it, and what is said about each of them."""


@dataclass(frozen=True)
class Group:
    """Hosts of which the same is to be told."""

    hosts: tuple[str, ...]
    blocks: tuple[Block, ...]

    @property
    def label(self) -> str:
        """Their names."""
        return ", ".join(map(printable, self.hosts))

    @property
    def lines(self) -> int:
        """Lines that the blocks take."""
        return sum(1 + len(details) for _, _, details in self.blocks)


def host_lines(hosts: Sequence[HostReport], every_effect: bool, width: int | None) -> Iterator[Text]:
    """The hosts, aligned: names, status, items; below an item what is to be said about it. `width` None: any."""
    most = max(SHORT_LABEL, *(len(host.name) for host in hosts), 0)
    told = [part for group in groups(hosts, every_effect) for part in shorter(group, most)]
    column = max((len(group.label) for group in told if len(group.label) <= most), default=0)
    for group in told:
        label = group.label
        if len(label) > most:
            yield from (Text(line, "bold") for line in folded(label, width))
            label = ""
        for status, items, details in group.blocks:
            word, style = STATUS.get(status, (status, ""))
            first, *more = folded(printable(items), width, column + STATUS_WIDTH + 4)
            yield Text.assemble((label.ljust(column), "bold"), "  ", (word.ljust(STATUS_WIDTH), style), "  ", first)
            yield from (Text(" " * (column + STATUS_WIDTH + 4) + line) for line in more)
            for line in details:
                yield from hanging(line, width, column + STATUS_WIDTH + 6)
            label = ""


def groups(hosts: Sequence[HostReport], every_effect: bool) -> list[Group]:
    """The hosts by what is to be told of them, in the order of each group's first."""
    found: dict[tuple[Block, ...], list[str]] = {}
    for host in hosts:
        found.setdefault(tuple(blocks(host, every_effect)), []).append(host.name)
    return [Group(tuple(names), told) for told, names in found.items()]


def shorter(group: Group, most: int) -> list[Group]:
    """The group, or its hosts one by one where that takes no more lines."""
    above = 0 if len(group.label) <= most else 1
    if above + group.lines < len(group.hosts) * group.lines:
        return [group]
    return [Group((host,), group.blocks) for host in group.hosts]


def blocks(host: HostReport, every_effect: bool) -> Iterator[Block]:
    """A host's items, neighbours of one status with nothing to add put together in one line."""
    if host.error or not host.reachable:
        what, *more = (host.error or "unreachable").removeprefix(f"{host.name}: ").splitlines()
        yield "failed", what, tuple(more)
    elif not host.items:
        yield "ok", "no item is for this host", ()
    told = sorted(host.items, key=lambda item: item.status != "ok")
    for (status, details), items in groupby(told, key=lambda item: (item.status, details_of(item, every_effect))):
        yield status, ", ".join(item.item for item in items), details


def details_of(item: ItemDone, every_effect: bool) -> tuple[str, ...]:
    """What is said about an item: its differences, the effects that do not hold, the reason and remedy."""
    words = {True: "holds", False: "does not hold", None: "not run"}
    effects = [
        f"{effect.name}: {words[effect.ok]}" + (f" ({effect.seen})" if effect.seen else "")
        for effect in item.effects
        if every_effect or effect.ok is not True
    ]
    # A reason that only says what the effects below the item say is left out.
    broken = [f"{effect.name}: {effect.seen}" for effect in item.effects if effect.ok is not True]
    reason = "" if item.reason == "; ".join(broken) else item.reason or ""
    texts = [*item.differences, *(f"will {text}" for text in item.will), *effects, reason]
    return tuple(line for text in texts for line in text.splitlines())


def unlike_lines(found: Sequence[Unlike], width: int | None) -> Iterator[Text]:
    """Findings between hosts, by role."""
    for role, ones in groupby(found, key=lambda one: one.role):
        yield Text(f"not alike among {printable(role) if role else 'all hosts'}", "bold magenta")
        for one in ones:
            yield from hanging(one.text, width, 4)


def hanging(text: str, width: int | None, indent: int) -> Iterator[Text]:
    """A text of a host's, indented; where a terminal folds it, what goes on stands a little further in."""
    yield from (Text(" " * indent + line) for line in folded(printable(text), width, indent, "  "))


def folded(text: str, width: int | None, indent: int = 0, further: str = "") -> list[str]:
    """Text folded between words, to what a terminal has left beside an indent."""
    left = 0 if width is None else width - indent
    # A terminal that narrow folds by itself.
    if left < SHORT_LABEL or len(text) <= left:
        return [text]
    return textwrap.wrap(text, left, subsequent_indent=further, break_long_words=False, break_on_hyphens=False)


def printable(text: str) -> str:
    """Text of a host without what would steer the terminal."""
    return "".join(sign if sign.isprintable() or sign in "\n\t" else f"\\x{ord(sign):02x}" for sign in text)
