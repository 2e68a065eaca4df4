"""What a consumer cannot carry is refused with its reason, and the value is not shown."""

from __future__ import annotations

import pytest

from hostmuster.env.file import Consumer, Values, refusals, render

REFUSED: dict[str, tuple[Consumer, Values, str]] = {
    "a line break for docker": ("docker", {"KEY": "BEGIN\nhidden"}, "KEY holds a line break, for which docker has no"),
    "a carriage return for docker": ("docker", {"KEY": "hidden\r"}, "KEY holds a line break"),
    "a line that docker stops at": ("docker", {"KEY": "hidden" * 11000}, "docker reads lines below 65535"),
    "a NUL for systemd": ("systemd", {"KEY": "hidden\0"}, "KEY holds a NUL"),
    "no character for systemd": ("systemd", {"KEY": "hidden\ufdd0"}, "KEY holds a noncharacter"),
    "a NUL for a shell": ("shell", {"KEY": "hidden\0"}, "KEY holds a NUL"),
    "half a character": ("systemd", {"KEY": "hidden\ud800"}, "KEY is not valid Unicode"),
    "more than a process takes": ("systemd", {"KEY": "hidden" * 22000}, "a process takes less than 131071"),
    "a name bash computes itself": ("shell", {"RANDOM": "hidden"}, "RANDOM is a name that the shell keeps"),
    "a name bash will not assign": ("shell", {"UID": "hidden"}, "UID is a name that the shell keeps"),
    "a name that changes how a shell splits": ("shell", {"IFS": "hidden"}, "IFS is a name that the shell keeps"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_its_reason_and_without_its_value(case: str) -> None:
    consumer, values, reason = REFUSED[case]
    (said,) = refusals(consumer, values)
    assert reason in said
    assert "hidden" not in said
    with pytest.raises(ValueError, match=next(iter(values))):
        render(consumer, values)


def test_all_refusals_of_a_file_come_at_once() -> None:
    values: Values = {"A": "x\ny", "B": "fine", "C": "x\0"}
    assert [said.split()[0] for said in refusals("docker", values)] == ["A", "C"]


def test_what_one_consumer_refuses_another_may_carry() -> None:
    pem: Values = {"PEM": "-----BEGIN\nx\n-----END"}
    assert list(refusals("docker", pem))
    assert not list(refusals("systemd", pem))
    assert not list(refusals("shell", pem))
