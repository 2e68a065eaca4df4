"""A document that has no lines of its own: its fields one below the other, or a row for each host."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.table import Table
from rich.text import Text

from hostmuster.tasks.events import Json, listed, text_of
from hostmuster.tasks.host_lines import printable


def field_lines(document: Mapping[str, Json]) -> Iterator[Text]:
    """A document about no single host: a line for each field. What is listed step by step was told as it happened."""
    told = {
        name: value for name, value in document.items() if not any(isinstance(one, Mapping) for one in listed(value))
    }
    width = max(map(len, told), default=0)
    for name, value in told.items():
        yield Text.assemble((printable(name).ljust(width), "dim"), "  ", printable(cell_text(value)))


def host_table(document: Mapping[str, Json]) -> Table:
    """A document about hosts: a row for each host, a column for each thing known of one."""
    hosts = document.get("hosts")
    rows = hosts if isinstance(hosts, Mapping) else {}
    known = {name: fields if isinstance(fields, Mapping) else {"": fields} for name, fields in rows.items()}
    columns = list(dict.fromkeys(column for fields in known.values() for column in fields))
    table = Table("host", *columns, box=None, pad_edge=False)
    for name, fields in known.items():
        table.add_row(*(Text(printable(cell_text(cell))) for cell in (name, *map(fields.get, columns))))
    return table


def cell_text(value: Json) -> str:
    """A value in a table."""
    match value:
        case None | [] | "":
            return "-"
        case bool():
            return "yes" if value else "no"
        case list():
            return ", ".join(map(cell_text, value))
    return text_of(value) or "-"
