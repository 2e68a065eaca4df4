"""The table of K1 for a person: a row a replica, a column a line; below it every miss, and what nobody looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.text import Text

from hostmuster.tasks.events import Json, listed, text_of
from hostmuster.tasks.host_lines import hanging, printable

STYLES = {"missing": "bold red", "NOT_RUN": "dim", "holds": "green"}
"""The worst first: it is what a cell shows."""

Row = Mapping[str, str]


def is_table(document: Mapping[str, Json]) -> bool:
    """Whether a run's document is this table."""
    return "token_life_s" in document and "lines" in document


def replica_table(document: Mapping[str, Json]) -> Iterator[Text]:
    """A line that all replicas of a service share counts for each of them. One line where there are none."""
    rows = rows_of(document)
    if not any(row["service"] or row["host"] for row in rows):
        why = next((row["said"] for row in rows if row["line"] == "replicas"), "no service has replicas")
        yield Text(printable(f"nothing to compare: {why} (docs/preflight.md)"))
        return
    columns = list(dict.fromkeys(row["line"] for row in rows))
    cells = [("service", "replica", *columns)]
    for service, host in replicas(rows):
        mine = [row for row in rows if row["service"] in (service, "") and row["host"] in (host, "")]
        states = [{row["state"] for row in mine if row["line"] == column} for column in columns]
        words = (next((word for word in STYLES if word in state), "-") for state in states)
        cells.append((printable(service), printable(host), *words))
    wide = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        padded = [word.ljust(size) for word, size in zip(row, wide, strict=True)]
        yield Text("  ").join(Text(word, STYLES.get(word.strip(), "")) for word in padded)


def replica_lines(document: Mapping[str, Json], width: int | None) -> Iterator[Text]:
    """Each miss with what to do, then each line that nobody looked at, and how long a token lives."""
    rows = rows_of(document)
    for row in (row for row in rows if row["state"] == "missing"):
        yield Text.assemble(("missing", "bold red"), printable(f"  {row['line']}: {row['where']}: {row['said']}"))
        yield from hanging(row["remedy"], width, 4)
    for row in (row for row in rows if row["state"] == "NOT_RUN"):
        about = ", ".join(filter(None, (row["service"], row["host"])))
        yield Text.assemble(("NOT_RUN", "dim"), printable(f"  {row['line']}: {about}: {row['said']}"))
    life_s = document["token_life_s"]
    if isinstance(life_s, int | float):
        what = "so long a key that signed verifies after the last replica's switch"
        yield Text(f"a token lives {life_s:.0f} s at most: {what}")


def replicas(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """Each service with each of its hosts, by name; a service whose hosts nobody names has one row."""
    pairs = sorted({(row["service"], row["host"]) for row in rows})
    named = {service for service, host in pairs if host}
    return [(service, host) for service, host in pairs if host or (service and service not in named)]


def rows_of(document: Mapping[str, Json]) -> list[Row]:
    """The document's lines, each a text for each word."""
    words = ("line", "service", "host", "state", "said", "where", "remedy")
    found = [one for one in listed(document["lines"]) if isinstance(one, Mapping)]
    return [{word: text_of(one.get(word)) or "" for word in words} for one in found]
