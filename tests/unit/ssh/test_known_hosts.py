"""known_hosts as OpenSSH writes it: whose key is pinned, and a pin that changes nothing of anybody else's."""

from __future__ import annotations

import multiprocessing
import subprocess
from pathlib import Path

import pytest
from paramiko import HostKeys

from hostmuster.errors import InputError
from hostmuster.ssh import pin_file
from hostmuster.ssh.host_key import HostKey
from hostmuster.ssh.known_hosts import KnownHosts, line, name_of

WEB, PORT = "192.0.2.7", "[192.0.2.7]:2222"


def made(folder: Path, kind: str = "ed25519") -> HostKey:
    """A key as ssh-keygen makes it."""
    file = folder / f"key-{len(list(folder.iterdir()))}"
    subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", "", "-f", file], check=True)
    return HostKey(*file.with_suffix(".pub").read_text().split()[:2])


@pytest.fixture
def keys(tmp_path: Path) -> list[HostKey]:
    """Three keys, the last one of another type."""
    folder = tmp_path / "keys"
    folder.mkdir()
    return [made(folder), made(folder), made(folder, "ecdsa")]


def test_a_fingerprint_is_the_one_ssh_keygen_prints(tmp_path: Path, keys: list[HostKey]) -> None:
    file = tmp_path / "pins"
    file.write_text("".join(line(WEB, key) for key in keys))
    printed = subprocess.run(["ssh-keygen", "-lf", file], capture_output=True, text=True, check=True).stdout
    assert [key.fingerprint for key in keys] == [said.split()[1] for said in printed.splitlines()]


def test_plain_hashed_shared_and_ported_names_are_understood(tmp_path: Path, keys: list[HostKey]) -> None:
    one, two, _ = keys
    file = tmp_path / "pins"
    file.write_text(line(WEB, one) + line(PORT, two) + line("192.0.2.8,web", one))
    subprocess.run(["ssh-keygen", "-q", "-H", "-f", file], capture_output=True, check=True)
    assert "192.0.2" not in file.read_text(), "ssh-keygen hashed the names"
    pins = pin_file.read(file)
    assert pins.keys(name_of("192.0.2.7", 22)) == (one,)
    assert pins.keys(name_of("192.0.2.7", 2222)) == (two,)
    assert pins.keys("web") == (one,)
    assert pins.keys("192.0.2.9") == ()
    assert pins.with_pin(WEB, two).keys(WEB) == (two,)


def test_an_open_merge_pins_nobody_and_is_named_with_its_line(tmp_path: Path, keys: list[HostKey]) -> None:
    file = tmp_path / "pins"
    ours, theirs = line(WEB, keys[0]), f"@revoked {line(WEB, keys[0])}"
    file.write_text(f"# pins\n<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> other\n")
    with pytest.raises(InputError) as refused:
        pin_file.read(file)
    assert [(one.where, one.what) for one in refused.value.problems] == [(f"{file}:2", "conflict markers of a merge")]
    with pytest.raises(InputError):
        pin_file.change(file, lambda pins: pins.with_pin(WEB, keys[1]))
    assert "<<<<<<< HEAD" in file.read_text()


def test_a_pin_takes_the_place_of_that_hosts_keys_and_of_nothing_else(keys: list[HostKey]) -> None:
    one, two, other_type = keys
    kept = [
        "# the web hosts, by ann\n",
        "\n",
        f"@cert-authority *.example.org {one.kind} {one.body} the CA\n",
        line("192.0.2.70", one),
        line(PORT, one),
        "192.0.2.7 ssh-ed25519 not-base64\n",
        "*.example.org,!db.example.org " + line("x", one)[2:],
    ]
    text = "".join(kept) + line(WEB, one) + line(WEB, other_type) + f"{WEB},web {one.kind} {one.body} a comment"
    changed = KnownHosts.parse(text).with_pin(WEB, two)
    assert changed.text == "".join(kept) + f"web {one.kind} {one.body} a comment\n" + line(WEB, two)


def test_marked_lines_are_no_pins_and_a_revoked_key_is_known_as_one(keys: list[HostKey]) -> None:
    one, two, _ = keys
    pins = KnownHosts.parse(f"@cert-authority {WEB} {one.kind} {one.body}\n@revoked * {two.kind} {two.body}\n")
    assert pins.keys(WEB) == ()
    assert pins.is_revoked(two)
    assert not pins.is_revoked(one)


def test_paramiko_reads_every_plain_pin_whatever_stands_between_them(tmp_path: Path, keys: list[HostKey]) -> None:
    one, two, three = keys
    lines = [
        f"@cert-authority *.example.org {one.kind} {one.body}\n",
        f"@revoked * {three.kind} {three.body}\n",
        "db ssh-ed25519 not-base64\n",
        "# bj\udcf6rn\n",
        f"web  {one.kind}\t{one.body} a comment\n",
        line("mail", three),
        line(PORT, two),
    ]
    pins = KnownHosts.parse("".join(lines))
    assert not pins.is_plain
    assert KnownHosts.parse(f"# mine\n\n{line(WEB, one)}web {two.kind} {two.body} a comment\n").is_plain
    file = tmp_path / "plain"
    file.write_text(pins.plain.text)
    read = HostKeys(str(file))
    assert {name: [key.get_base64() for key in read[name].values()] for name in read} == {
        "web": [one.body],
        PORT: [two.body],
    }


def test_crlf_and_a_missing_last_line_end_are_read(keys: list[HostKey]) -> None:
    one, two, _ = keys
    pins = KnownHosts.parse(f"{WEB} {one.kind} {one.body}\r\nweb {two.kind} {two.body}")
    assert (pins.keys(WEB), pins.keys("web")) == ((one,), (two,))
    assert pins.with_pin("db", one).keys("web") == (two,)


def _pin(file: Path, number: int, key: HostKey) -> None:
    pin_file.change(file, lambda pins: pins.with_pin(f"host-{number}", key))


def test_pins_written_at_once_are_all_there_and_leave_nothing_beside_them(tmp_path: Path, keys: list[HostKey]) -> None:
    file = tmp_path / "known_hosts" / "shop"
    file.parent.mkdir()
    file.write_text("# kept\n")
    file.chmod(0o640)
    fork = multiprocessing.get_context("fork")
    writers = [fork.Process(target=_pin, args=(file, number, keys[0])) for number in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(30)
    pins = pin_file.read(file)
    assert all(pins.keys(f"host-{number}") == (keys[0],) for number in range(8))
    assert pins.lines[0] == "# kept\n"
    assert [entry.name for entry in file.parent.iterdir()] == ["shop"]
    assert file.stat().st_mode & 0o777 == 0o640


def test_what_a_killed_writer_left_is_written_over(tmp_path: Path, keys: list[HostKey]) -> None:
    file = tmp_path / "shop"
    (tmp_path / ".shop.new").write_text("half a li")
    _pin(file, 1, keys[0])
    assert file.read_text() == line("host-1", keys[0])
    assert [entry.name for entry in tmp_path.iterdir() if entry.is_file()] == ["shop"]
