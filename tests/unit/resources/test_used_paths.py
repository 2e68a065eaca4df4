"""What a unit relies on beside what items write: found in its file, and read on a host as the same on each."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from hostmuster.resources.used_paths import CODE, of_unit, of_values


def paths(text: str) -> list[str]:
    return [f"{one.question.probe.name} {one.path}" for one in of_unit(text.encode())]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("ExecStart=/usr/bin/python3 -m service", []),
        ("ExecStart=/srv/bin/run --root=/srv/data /etc/x.conf", ["code /srv/bin/run", "stat /srv/data"]),
        ("ExecStartPre=-+/usr/local/bin/prepare", ["code /usr/local/bin/prepare"]),
        ("ExecStart=/opt/service/venv/bin/python -m service", ["code /opt/service"]),
        ("ExecStart=/usr/bin/docker run \\\n  -v /opt/service:/app:ro image", ["code /opt/service"]),
        ("WorkingDirectory=-/srv/service/", ["stat /srv/service"]),
        ("BindReadOnlyPaths=/opt/service:/app /srv/x", ["code /opt/service", "stat /srv/x"]),
        ("Environment=ROOT=/srv/a 'NAME=two words' PATH=/usr/bin:/bin", ["stat /srv/a"]),
        ("Environment=URL=https://example.org/srv", []),
        ("ExecStart=/srv/%i/run $HOME", []),
        ("RuntimeDirectory=x", []),
        ('ExecStart=/srv/run "unclosed', ["code /srv/run"]),
    ],
)
def test_a_unit_names_what_it_needs(line: str, found: list[str]) -> None:
    assert paths(f"[Service]\n{line}\n") == found


def test_settings_name_folders_that_must_be_there() -> None:
    assert [one.path for one in of_values(["/srv/tenants", 8080, True, "no/path", "/proc/x"])] == ["/srv/tenants"]


def said(folder: Path) -> Mapping[str, str]:
    told = subprocess.run([*CODE.argv, str(folder)], capture_output=True, text=True, check=True).stdout
    return CODE.split(told, [str(folder)])


def tree(folder: Path, **files: str) -> Path:
    for name, text in {"main.py": "print()\n", "lib/a.py": "A = 1\n", **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_the_same_code_reads_the_same_wherever_it_lies_and_whenever_it_was_put_there(tmp_path: Path) -> None:
    one, two = tree(tmp_path / "one"), tree(tmp_path / "two")
    (two / "main.py").touch()
    (two / "lib").chmod(0o700)
    assert said(one)[str(one)] == said(two)[str(two)]


@pytest.mark.parametrize("name", ["host-state.json", "lib/autoscaler-state.json", "__pycache__/a.pyc", ".git/index"])
def test_a_hosts_own_state_and_what_is_made_of_the_code_do_not_count(tmp_path: Path, name: str) -> None:
    one, two = tree(tmp_path / "one"), tree(tmp_path / "two", **{name: "mine"})
    assert said(one)[str(one)] == said(two)[str(two)]


@pytest.mark.parametrize("change", ["echo 2 >>main.py", "mv main.py m.py", "rm lib/a.py", "ln -s main.py x", "mkdir y"])
def test_any_other_change_is_seen(tmp_path: Path, change: str) -> None:
    one, two = tree(tmp_path / "one"), tree(tmp_path / "two")
    subprocess.run(["sh", "-c", change], cwd=two, check=True)
    assert said(one)[str(one)] != said(two)[str(two)]


def test_a_link_to_a_release_is_what_it_leads_to_and_what_is_not_there_is_missing(tmp_path: Path) -> None:
    release = tree(tmp_path / "releases" / "5")
    (tmp_path / "current").symlink_to(release)
    assert said(tmp_path / "current")[str(tmp_path / "current")] == said(release)[str(release)]
    assert said(tmp_path / "gone")[str(tmp_path / "gone")] == "missing"


def test_a_folder_too_large_to_read_is_compared_by_names_and_sizes(tmp_path: Path) -> None:
    folder = tree(tmp_path / "big")
    with (folder / "sparse").open("wb") as file:
        file.truncate(300 << 20)
    assert said(folder)[str(folder)].startswith("names and sizes ")
