"""The table of replicas as a person sees it."""

from __future__ import annotations

from hostmuster.tasks.events import Json
from hostmuster.tasks.replica_table import is_table, replica_lines, replica_table


def row(line: str, host: str, state: str, said: str = "as it should be") -> dict[str, Json]:
    found: dict[str, Json] = {"line": line, "service": "api", "host": host, "state": state, "said": said}
    return found | ({"where": f"{host}, X", "remedy": "mend it"} if state == "missing" else {})


DOCUMENT: dict[str, Json] = {
    "token_life_s": 3600.0,
    "lines": [
        row("signing key", "", "holds"),
        row("signing key", "server-2", "missing", "another one"),
        row("Redis", "server-1", "holds"),
        row("Redis", "server-2", "NOT_RUN", "not asked\x1b[2J"),
        row("Redis", "", "holds"),
    ],
}


def test_a_replica_is_a_row_and_a_cell_says_the_worst_of_its_line() -> None:
    assert is_table(DOCUMENT)
    assert [line.plain.rstrip() for line in replica_table(DOCUMENT)] == [
        "service  replica   signing key  Redis",
        "api      server-1  holds        holds",
        "api      server-2  missing      NOT_RUN",
    ]


def test_each_miss_is_told_with_what_to_do_and_what_nobody_looked_at_with_the_reason() -> None:
    lines = [line.plain for line in replica_lines(DOCUMENT, None)]
    assert lines[:2] == ["missing  signing key: server-2, X: another one", "    mend it"]
    assert lines[2] == "NOT_RUN  Redis: api, server-2: not asked\\x1b[2J"
    assert lines[3].startswith("a token lives 3600 s at most")


def test_a_fleet_without_several_replicas_has_one_line_that_says_why() -> None:
    said = "no service declares that it runs more than once"
    one: dict[str, Json] = {"line": "replicas", "service": "", "host": "", "state": "holds", "said": said}
    (only,) = replica_table({"token_life_s": 1.0, "lines": [one]})
    assert only.plain == f"nothing to compare: {said} (docs/preflight.md)"
