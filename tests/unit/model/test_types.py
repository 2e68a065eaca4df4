"""Field types take one spelling each and say what to write instead of another."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from hostmuster.model import types
from hostmuster.model.address import HostAddress

TAKEN: list[tuple[Any, list[object]]] = [
    (types.HostName, ["a", "worker-1", "0", 63 * "w", "a--b"]),
    (types.AbsolutePath, ["/srv", "/srv/a.b/.env", "/a/..b", "/é", "/" + 255 * "x"]),
    (types.Mode, ["0640", "0000", "2755", "7777"]),
    (types.UserName, ["app", "_chrony", "www-data", 31 * "u"]),
    (types.EnvName, ["A", "_a1", "APP_PORT"]),
    (types.Port, [1, 65535]),
    (types.Seconds, [0.1, 60]),
    (HostAddress, ["0.0.0.1", "127.0.0.1", "255.255.255.254"]),
]
REFUSED: list[tuple[Any, list[object]]] = [
    (types.HostName, ["", "-a", "a-", "a_b", "A", "a.b", "a b", 64 * "w", "é", "a\n"]),
    (types.AbsolutePath, [
        "", "/", "srv", "./srv", "~/srv", "/srv/", "/srv//a", "/srv/../etc", "/..", "/./a", "/a b", "/a\nb", "/a\tb",
        "/a\u00a0b", "/a\u200bb", "/a\x7f", "/" + 256 * "x", "/" + "x/" * 2100 + "x", "/srv ", " /srv",
    ]),
    (types.Mode, ["", "640", "0o640", "06400", "0888", "u=rw", "-640", "+640", " 640", "\u0660640", "0640\n"]),
    (types.UserName, ["", "App", "1app", "-app", "a.b", "a b", "app$", 32 * "u", "a:b", "app\n", "é"]),
    (types.EnvName, ["", "1A", "A-B", "A B", "A.B", "export A", "A=", "A\n", "É"]),
    (types.Port, [0, 65536, -1]),
    (types.Seconds, [0, -1, float("inf"), float("nan")]),
    (HostAddress, ["", "0.0.0.0", "255.255.255.255", "1.2.3", "1.2.3.4.5", "1.2.3.4 ", "0x7f.0.0.1", "127.1", "::"]),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "value"), [(kind, value) for kind, values in TAKEN for value in values])
def test_a_value_in_the_one_spelling_is_taken_as_it_stands(kind: Any, value: object) -> None:
    adapter: TypeAdapter[object] = TypeAdapter(kind)
    assert adapter.validate_python(value) == value


@pytest.mark.parametrize(("kind", "value"), [(kind, value) for kind, values in REFUSED for value in values])
def test_any_other_spelling_is_refused(kind: Any, value: object) -> None:
    adapter: TypeAdapter[object] = TypeAdapter(kind)
    with pytest.raises(ValidationError):
        adapter.validate_python(value)


@pytest.mark.parametrize(
    ("value", "remedy"),
    [
        (644, '"0644"'),
        (420, '"0420"'),
        (1204, '"1204"'),
        (888, '"0640"'),
        (True, '"0640"'),
        ("0o644", '"0644"'),
    ],
)
def test_a_mode_as_a_number_is_refused_with_the_text_to_write(value: object, remedy: str) -> None:
    adapter: TypeAdapter[str] = TypeAdapter(types.Mode)
    with pytest.raises(ValidationError) as caught:
        adapter.validate_python(value)
    assert remedy in caught.value.errors()[0]["ctx"]["remedy"]


@given(st.text(max_size=70))
def test_a_suggested_host_name_is_itself_a_host_name(name: str) -> None:
    adapter: TypeAdapter[str] = TypeAdapter(types.HostName)
    try:
        assert adapter.validate_python(name) == name
    except ValidationError as error:
        remedy = str(error.errors()[0]["ctx"]["remedy"])
        if ": `" in remedy:
            adapter.validate_python(remedy.split(": `")[1].rstrip("`"))


@given(st.from_regex(r"\A[0-9.]{1,20}\Z"))
def test_an_address_that_is_taken_reads_the_same_everywhere(text: str) -> None:
    adapter: TypeAdapter[str] = TypeAdapter(HostAddress)
    try:
        taken = adapter.validate_python(text)
    except ValidationError:
        return
    assert taken == text
    assert [str(int(number)) for number in text.split(".")] == text.split(".")
