"""The mirror is read from the machine's own apt configuration, in whichever of apt's two formats it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from hostmuster.errors import Refused
from hostmuster.lab.mirror import Mirror, through_cache

ONE_LINE = """\
# deb http://old.example/debian bookworm main
deb [arch=amd64 signed-by=/usr/share/keyrings/x.gpg] http://mirror.example/debian/ bookworm main contrib
deb http://mirror.example/debian bookworm-updates main
deb-src http://mirror.example/source bookworm-security main
deb http://security.example/debian-security bookworm-security main
deb http://other.example/apt tool-bookworm main
"""

DEB822 = """\
Types: deb deb-src
# a comment inside a stanza
URIs: http://mirror.example/debian
Suites: bookworm
  bookworm-updates
Components: main
 non-free-firmware

Types: deb
URIs: http://security.example/debian-security
Suites: bookworm-security
Components: main

Enabled: no
Types: deb
URIs: http://never.example/debian
Suites: bookworm
Components: main
"""

EXPECTED = (
    ("", "http://mirror.example/debian"),
    ("-updates", "http://mirror.example/debian"),
    ("-security", "http://security.example/debian-security"),
)


def etc(root: Path, files: dict[str, str]) -> Path:
    """An /etc with these files and bookworm's os-release."""
    for path, content in {"os-release": 'ID=debian\nVERSION_CODENAME="bookworm"\n', **files}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content)
    return root


@pytest.mark.parametrize(
    "files",
    [
        {"apt/sources.list": ONE_LINE},
        {"apt/sources.list.d/a.list": ONE_LINE},
        {"apt/sources.list.d/debian.sources": DEB822},
        {"apt/sources.list.d/debian.sources": DEB822.replace("URIs", "uris").replace("Types", "types")},
    ],
    ids=["sources.list", "a .list file", "deb822", "deb822 in lower case"],
)
def test_both_formats_name_the_same_mirror(tmp_path: Path, files: dict[str, str]) -> None:
    assert Mirror.of_this_machine(etc(tmp_path, files)).addresses == EXPECTED


def test_the_mirror_serves_another_release_under_its_own_name(tmp_path: Path) -> None:
    mirror = Mirror.of_this_machine(etc(tmp_path, {"apt/sources.list": ONE_LINE}))
    sources = mirror.sources("trixie")
    assert "Suites: trixie-security\n" in sources
    assert "bookworm" not in sources


def test_a_machine_without_a_debian_mirror_is_refused_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"no Debian mirror for bookworm[^$]*apt-get update"):
        Mirror.of_this_machine(etc(tmp_path, {"apt/sources.list": "deb http://other.example/apt tool main\n"}))


def test_an_encrypted_mirror_is_written_as_the_cache_fetches_it() -> None:
    assert through_cache("https://mirror.example/debian/") == "http://HTTPS///mirror.example/debian"
