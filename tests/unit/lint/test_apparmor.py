"""Profiles are compiled by the parser of the host's Debian release; what it takes and nobody means is refused by us."""

from __future__ import annotations

import pytest

from hostmuster.lint.apparmor import Profiles
from hostmuster.lint.linter import Artefact

GOOD = """\
abi <abi/3.0>,
include <tunables/global>
profile app flags=(attach_disconnected,mediate_deleted) {
  include <abstractions/base>
  network inet stream,  # a comment; userns,
  /{,usr/}bin/app mrix,
  profile child {
    /etc/hostname r,
  }
}
"""


def said(text: str, debian: int = 12) -> list[str]:
    """All that is said of a profile called app: by the parser of this machine, and by our own rules."""
    artefact = Artefact("/etc/apparmor.d/app", text.encode())
    profiles = Profiles(debian)
    parsed = profiles.parse([artefact])[artefact] if profiles.version() else []
    return [*parsed, *profiles.traps(artefact)]


def test_a_good_profile_passes() -> None:
    assert said(GOOD) == []
    assert said(GOOD, 13) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("abi/3.0", "abi/4.0"),
        ("network inet stream", "userns"),
        ("network inet stream", "allow userns create"),
        ("network inet stream", "io_uring sqpoll"),
        ("network inet stream", "all"),
        ("network inet stream", "priority=1 file"),
        ("abstractions/base", "abstractions/nameservice-strict"),
        ("mediate_deleted", "default_allow"),
        ("mediate_deleted", "error=EACCES"),
        ("mediate_deleted", "attach_disconnected.path=/att"),
    ],
)
def test_what_only_debian_13_knows_is_refused_for_a_host_of_12_alone(old: str, new: str) -> None:
    text = GOOD.replace(old, new)
    parsed, traps = Profiles(12).parse([one := Artefact("/etc/apparmor.d/app", text.encode())])[one], said(text)
    assert parsed, "the parser of Debian 12 takes it"
    assert any("Debian 12 does not know" in line for line in traps), traps
    assert not [line for line in said(text, 13) if "default_allow" not in line]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("abstractions/base", "abstractions/nope", "line 4: Could not open 'abstractions/nope'"),
        ("app mrix,", "app mrix", "syntax error, unexpected"),
        ("mrix", "mrixq", "syntax error"),
        ("profile app", "profile other", "it defines other: it must be app, as the file is called"),
        ("profile app", "profile app /bin/app", "/bin/app is never run: /bin is a link to /usr/bin"),
        ("mediate_deleted", "complain", "flags=(complain) refuses nothing"),
        ("mediate_deleted", "unconfined", "flags=(unconfined) refuses nothing"),
        ("abi <abi", "\ufeffabi <abi", "line 1: Lexer found unexpected character"),
    ],
)
def test_it_does_not_compile_or_is_never_meant(old: str, new: str, complaint: str) -> None:
    assert any(complaint in line for line in said(GOOD.replace(old, new))), said(GOOD.replace(old, new))


def test_a_rule_of_debian_13_that_12_takes_for_a_files_name_is_named() -> None:
    assert said(GOOD.replace("network inet stream", "mqueue rw")) == ["line 5: Debian 12 does not know this rule"]


def test_two_profiles_in_one_file_are_refused_since_the_kernel_is_asked_for_one() -> None:
    assert said(f"{GOOD}profile two {{\n}}\n") == ["it defines app, two: it must be app, as the file is called"]


def test_another_releases_parser_judges_nothing() -> None:
    versions = [Profiles(debian).version() for debian in (12, 13)]
    assert len([version for version in versions if version is not None]) <= 1
    assert versions[0] is not None, "this machine has Debian 12's"


def test_windows_line_ends_do_not_hide_the_name() -> None:
    assert said(GOOD.replace("\n", "\r\n")) == []
