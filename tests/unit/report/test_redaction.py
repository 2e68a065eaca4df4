"""A known value does not get through, however it was written; all else does."""

from __future__ import annotations

import base64
import html
import io
import json
import logging
import shlex
import urllib.parse
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hostmuster.report.fragment import LEAST
from hostmuster.report.redaction import MARK, SHORTEST, SHORTEST_LINE, Json, RedactingFilter, Redaction
from hostmuster.secrets import sshkeys
from hostmuster.secrets.value import Secret

# Values that are no part of the mark, nor of what JSON itself writes around them.
VALUES = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=SHORTEST, max_size=60
).filter(lambda text: len(text.strip()) >= SHORTEST and text.strip() not in MARK)
AROUND = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@given(VALUES, AROUND, AROUND)
def test_a_value_in_text_does_not_get_through(value: str, before: str, after: str) -> None:
    shown = Redaction([Secret(value)]).apply(before + value + after)
    assert value not in shown
    assert MARK in shown


@given(VALUES, AROUND, AROUND)
def test_a_value_in_a_json_line_does_not_get_through_and_the_line_stays_json(
    value: str, before: str, after: str
) -> None:
    for ascii_only in (True, False):
        line = json.dumps({"error": before + value + after}, ensure_ascii=ascii_only)
        shown = Redaction([Secret(value)]).apply(line)
        assert json.dumps(value, ensure_ascii=ascii_only)[1:-1] not in shown
        assert value not in str(json.loads(shown))


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("name", "first line\nname"),  # the n of \\n
        ("u00e9x", "caf\\u00e9x"),
        ("0e9x", "caf\xe9x"),  # the end of \\u00e9
        ("ends\\", 'it ends\\" here'),
        ("ab\\u00", "ab\\u00e9 c"),
        ('"} {"', '"} {"'),
    ],
)
def test_a_find_that_cuts_an_escape_in_half_takes_all_of_it(value: str, said: str) -> None:
    shown = Redaction([Secret(value)]).apply(json.dumps({"error": said, "next": 1}))
    assert MARK in shown
    assert json.loads(shown)["next"] == 1


@given(VALUES.filter(lambda value: len(value.encode()) > 6), st.binary(max_size=7), st.binary(max_size=7))
def test_a_value_inside_base64_does_not_get_through(value: str, before: bytes, after: bytes) -> None:
    raw = value.encode()
    for encode, decode in (
        (base64.b64encode, base64.b64decode),
        (base64.urlsafe_b64encode, base64.urlsafe_b64decode),
    ):
        shown = Redaction([Secret(value)]).apply(encode(before + raw + after).decode())
        assert MARK in shown
        longest = max(shown.replace(MARK, " ").split(), key=len, default="")
        left = decode(longest[: len(longest) // 4 * 4])
        assert raw not in left


settings.register_profile("any speed", deadline=None)  # machines differ; a slow one is no failure
settings.load_profile("any speed")

ENCODINGS: dict[str, Callable[[str], str]] = {
    "url": lambda value: urllib.parse.quote(value, safe=""),
    "form": urllib.parse.quote_plus,
    "url in lower case": lambda value: urllib.parse.quote(value, safe="").lower() if value.isascii() else value,
    "path": urllib.parse.quote,
    "shell": shlex.quote,
    "html": html.escape,
    "python": repr,
    "python bytes": lambda value: repr(value.encode()),
    "hexadecimal": lambda value: value.encode().hex(),
    "json in json": lambda value: json.dumps(json.dumps(value)),
    "json with slashes": lambda value: json.dumps(value).replace("/", "\\/"),
}


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(value=VALUES.filter(lambda value: value == value.lower()))
def test_a_value_in_an_escaped_form_does_not_get_through(encoding: str, value: str) -> None:
    written = ENCODINGS[encoding](value)
    shown = Redaction([Secret(value)]).apply(f"before {written} after")
    assert MARK in shown
    assert value not in shown
    assert written.strip("\"'") not in shown


@given(st.lists(VALUES, min_size=1, max_size=4), AROUND)
def test_values_that_overlap_leave_no_rest(values: list[str], around: str) -> None:
    redaction = Redaction(Secret(value) for value in values)
    text = around + "".join(values) + "".join(value[: len(value) // 2] + value for value in values)
    shown = redaction.apply(text)
    assert not [value for value in values if value in shown]


@given(st.text(st.characters(exclude_characters="q"), max_size=200))
def test_text_without_a_known_value_is_left_as_it_is(text: str) -> None:
    assert Redaction([Secret("qqqq-qqqq-q")]).apply(text) == text


def test_every_line_of_a_private_key_is_redacted_and_its_frame_is_not() -> None:
    private = sshkeys.generate("x")[0]
    lines = private.text().splitlines()
    redaction = Redaction([private])
    for line in lines[1:-1]:
        assert redaction.apply(f"    {line}  <- in a log").strip() == f"{MARK}  <- in a log"
    assert redaction.apply(lines[0]) == lines[0]
    wrapped = base64.encodebytes(private.reveal()).decode()
    assert redaction.apply(wrapped).replace(MARK, "").strip() == ""
    crlf = private.text().replace("\n", "\r\n")
    assert not [line for line in lines[1:-1] if line in redaction.apply(crlf)]


def test_short_lines_of_a_long_value_are_no_secrets_of_their_own() -> None:
    redaction = Redaction([Secret('{\n  "user": "admin",\n}\n')])
    assert redaction.apply("{ } if x {") == "{ } if x {"
    assert MARK in redaction.apply('now "user": "admin", it is')
    assert len('"user": "admin",') >= SHORTEST_LINE


def test_an_authorization_header_does_not_get_through() -> None:
    header = "Authorization: Basic " + base64.b64encode(b"admin:correct horse").decode()
    shown = Redaction([Secret("correct horse")]).apply(header)
    assert base64.b64encode(b"correct horse").decode()[4:-4] not in shown
    assert MARK in shown


def test_a_value_added_later_is_redacted_from_then_on_and_the_old_one_still() -> None:
    redaction = Redaction([Secret("generation-1")])
    redaction.add(Secret("generation-2"))
    assert redaction.apply("generation-1 generation-2") == f"{MARK} {MARK}"


def test_documents_are_redacted_in_keys_and_values_and_keep_their_shape() -> None:
    document: Json = {"a": ["hunter22", 1, None, True, 2.5], "hunter22": {"deep": "x hunter22 y"}}
    assert Redaction([Secret("hunter22")]).data(document) == {
        "a": [MARK, 1, None, True, 2.5],
        MARK: {"deep": f"x {MARK} y"},
    }


def test_a_traceback_is_redacted_with_its_causes() -> None:
    def fail() -> None:
        try:
            int("hunter22")
        except ValueError as error:
            raise RuntimeError("could not use hunter22") from error

    with pytest.raises(RuntimeError) as caught:
        fail()
    shown = Redaction([Secret("hunter22")]).traceback(caught.value)
    assert "ValueError" in shown
    assert "hunter22" not in shown


def test_log_records_are_redacted_with_arguments_and_traceback() -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(RedactingFilter(Redaction([Secret("hunter22")])))
    logger = logging.Logger("test")
    logger.addHandler(handler)
    try:
        int("hunter22")
    except ValueError:
        logger.exception("bad value %s of %d", "hunter22", 3)
    shown = stream.getvalue()
    assert shown.startswith(f"bad value {MARK} of 3\n")
    assert "ValueError" in shown
    assert "hunter22" not in shown


LONG = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=16, max_size=90)


@given(value=LONG, before=AROUND, after=AROUND, at=st.integers(min_value=LEAST))
def test_what_is_left_of_a_value_that_was_cut_does_not_get_through(
    value: str, before: str, after: str, at: int
) -> None:
    at %= len(value)
    redaction = Redaction([Secret(value)])
    for part, text in ((value[:at], f"{before}{value[:at]}..."), (value[-at:], f"{value[-at:]}{after}")):
        if len(part) >= LEAST:
            line = json.dumps({"error": text})
            assert '"' in part or part not in redaction.apply(text)
            assert part not in json.loads(redaction.apply(line))["error"]


@pytest.mark.parametrize(
    ("value", "text", "shown"),
    [
        ("correct-horse_battery/staple", "`correct-horse_ba...` is no word", f"`{MARK}...` is no word"),
        ("correct-horse_battery/staple", "se_battery/staple\nlast line", f"{MARK}\nlast line"),
        ("correct-horse_battery/staple", "correct horse", "correct horse"),
        ("hunter22-hunter", "was hunter22-hu", f"was {MARK}"),
        ("redis://:Pa55w0rd-Pa55w0rd@192.0.2.9:6379/0", "redis://:Pa55w0rd-Pa55", MARK),
        ("redis://:Pa55w0rd-Pa55w0rd@192.0.2.9:6379/0", "0rd-Pa55w0rd@192.0.2.9:6379/0 is", f"{MARK} is"),
        ("redis://:Pa55w0rd-Pa55w0rd@192.0.2.9:6379/0", "redis://192.0.2.9:6379/0", "redis://192.0.2.9:6379/0"),
        ("redis://:Pa55w0rd-Pa55w0rd@192.0.2.9:6379/0", "%3A%2F%2F192.0.2.9%3a6379/0", "%3A%2F%2F192.0.2.9%3a6379/0"),
        ("postgresql://a:Pa55w0rd-Pa55w0rd@db.example.net/b", "at db.example.net/b", "at db.example.net/b"),
        ("https://hooks.example.net/T0123456789/B1", "https://hooks.example.net/T0123456789", MARK),
        ("https://hooks.example.net/T0123456789/B1", "https://hooks.example.net/", "https://hooks.example.net/"),
    ],
)
def test_a_cut_value_is_known_by_what_nobody_else_has_of_it(value: str, text: str, shown: str) -> None:
    assert Redaction([Secret(value)]).apply(text) == shown


def test_a_private_key_that_was_cut_does_not_get_through_and_its_frame_does() -> None:
    private = sshkeys.generate("x")[0]
    text, redaction = private.text(), Redaction([private])
    frame = "-----BEGIN OPENSSH PRIVATE KEY-----"
    for cut in (text[:200], text[-200:], base64.b64encode(private.reveal()).decode()[-200:]):
        left = redaction.apply(cut).replace(frame, "").replace(frame.replace("BEGIN", "END"), "")
        assert left.replace(MARK, "").strip() == ""
    assert redaction.apply(frame) == frame


def test_a_part_of_a_value_is_no_place_of_it() -> None:
    assert Redaction([Secret("correct-horse_battery/staple")]).places("correct-horse_battery") == []
