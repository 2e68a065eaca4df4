"""tinyproxy's files serve a second tinyproxy, and let through what was meant."""

from __future__ import annotations

import pytest

from tests.unit.lint.saying import said

CONFIG = "/etc/tinyproxy/hostmuster.conf"
FILTER = "/etc/tinyproxy/hostmuster.filter"
GOOD = f'User tinyproxy\nListen 127.0.0.1\nPort 8888\nConnectPort 443\nFilter "{FILTER}"\nFilterDefaultDeny Yes\n'


def test_the_files_as_we_render_them_pass() -> None:
    assert said("tinyproxy", CONFIG, GOOD) == []
    assert said("tinyproxy", FILTER, "^api\\.stripe\\.com$\n^\\(.*\\.\\)\\{0,1\\}example\\.org$\n") == []


@pytest.mark.parametrize(
    ("without", "complaint"),
    [("FilterDefaultDeny Yes\n", "the list names what is refused"), ("ConnectPort 443\n", "every port is open")],
)
def test_a_config_that_opens_everything_is_refused(without: str, complaint: str) -> None:
    assert any(complaint in line for line in said("tinyproxy", CONFIG, GOOD.replace(without, "")))


@pytest.mark.parametrize(
    ("line", "complaint"),
    [("Nonsense yes", "does not serve with it"), ("FilterType ere", "our patterns are basic ones")],
)
def test_a_config_is_refused_for(line: str, complaint: str) -> None:
    assert any(complaint in said_ for said_ in said("tinyproxy", CONFIG, f"{GOOD}{line}\n"))


@pytest.mark.parametrize(
    ("pattern", "complaint"),
    [
        ("api.stripe.com", "not anchored at both ends"),
        ("stripe\\.com$", "not anchored at both ends"),
        ("^(a|b)\\.example\\.com$", "signs of extended patterns"),
        ("^exampl?\\.com$", "signs of extended patterns"),
        ("^example+\\.com$", "signs of extended patterns"),
        ("^example\\.com$|", "not anchored at both ends"),
        ("^a\\.com$ payments", "all behind a blank"),
        ("^a\\.com$#payments", "all behind a blank"),
        ("^" + "a" * 511 + "$", "it becomes a second pattern"),
        ("^[a-", "does not serve with it (exit 65)"),
        ("^a\\{2,1\\}$", "does not serve with it (exit 65)"),
    ],
)
def test_a_pattern_is_refused_for(pattern: str, complaint: str) -> None:
    found = said("tinyproxy", FILTER, f"^good\\.com$\n{pattern}\n")
    assert any(complaint in line for line in found), found
