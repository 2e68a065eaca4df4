"""The script's own parts, run by dash, where nothing of a host is touched."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hostmuster.onhost import script
from hostmuster.onhost.program import change
from hostmuster.resources.step import Put
from tests.unit.onhost.test_program import functions


def sh(body: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Runs it after the script's functions."""
    return subprocess.run(
        ["dash", "-c", f"{functions()}\n{body}"], input=stdin, capture_output=True, text=True, check=False
    )


def test_a_record_replaces_the_old_one_whole_and_leaves_nothing_beside(tmp_path: Path) -> None:
    done = sh(f"record {tmp_path}/a one two && record {tmp_path}/a three")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a").read_text() == "three\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_record_that_cannot_be_written_says_why_and_keeps_the_old_one(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old\n")
    (tmp_path / ".new").symlink_to("/dev/full")
    done = sh(f'record {tmp_path}/a new || echo "$why"')
    assert f"{tmp_path}/a: " in done.stdout
    assert "free: " in done.stdout
    assert (tmp_path / "a").read_text() == "old\n"


def test_a_daemon_may_hold_its_output_open_without_holding_us(tmp_path: Path) -> None:
    began = time.monotonic()
    done = sh(f"SAID={tmp_path}/said; switch_run run 60 sh -c 'sleep 5 & echo $!' && echo passed; cat $SAID")
    assert time.monotonic() - began < 4
    passed, daemon = done.stdout.split()
    assert passed == "passed"
    os.kill(int(daemon), signal.SIGTERM)


def test_a_command_that_fails_is_quoted_with_its_last_words(tmp_path: Path) -> None:
    done = sh(f"SAID={tmp_path}/said; switch_run run 60 sh -c 'echo out; echo err >&2; exit 7' || echo \"$why\"")
    assert done.stdout == "sh exited 7: out\nerr\n"


def test_a_command_that_hangs_is_ended_and_quoted_with_its_last_words(tmp_path: Path) -> None:
    hangs = f"SAID={tmp_path}/said; switch_run run 1 sh -c 'echo waiting; exec sleep 60' || echo \"$why\""
    began = time.monotonic()
    assert sh(hangs).stdout == "sh was not done after 1 s and was ended: waiting\n"
    assert time.monotonic() - began < 10


def test_a_check_that_hangs_is_ended_and_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / ".hostmuster.t.1").touch()
    put = f"put 1 {tmp_path}/etc.conf 0644 root root sh -c 'exec sleep 60' sh"
    done = sh(f'SAID={tmp_path}/said CHECK_S=1 tx=t; switch_put {put} || echo "$why"')
    assert done.stdout == f"sh, asked about {tmp_path}/etc.conf, was not done after 1 s and was ended: \n"
    assert not (tmp_path / "etc.conf").exists()


def test_a_change_that_was_cut_off_before_its_first_phase_is_none(tmp_path: Path) -> None:
    (tmp_path / "change").mkdir()
    ask = (
        f"STATE={tmp_path} CHANGE={tmp_path}/change GATE={tmp_path} run= schema=1 revision=4 applied=; ask_state state"
    )
    assert "change" not in sh(ask).stdout
    (tmp_path / "change" / "phase").write_text("staging 0a1b clock\n")
    assert "change staging 0a1b clock" in sh(ask).stdout


def test_the_state_is_read_back_as_it_was_saved(tmp_path: Path) -> None:
    save = f"STATE={tmp_path} LEASE={tmp_path}/lease; schema=1 revision=41 applied=9a8b7c; save"
    done = sh(f'{save}; revision=0 applied=; load; echo "$schema $revision $applied"')
    assert done.stdout == "1 41 9a8b7c\n"


@settings(max_examples=25, deadline=None)
@given(st.lists(st.binary(max_size=300), min_size=1, max_size=8))
def test_every_content_is_staged_as_it_was_sent(contents: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        puts = [Put(f"{folder}/new/{n}", content, "0600", "root", "root") for n, content in enumerate(contents)]
        gathered = "\n".join(change("item", "0a1b", puts).splitlines()[1:-1])
        body = """STATE=$1 CHANGE=$1/change item=item tx=0a1b script= count=0 gathered=$(cat)
        mkdir "$CHANGE" && phase staging && stage || echo "$why" """
        done = subprocess.run(
            ["dash", "-c", f"{functions()}\n{body}", "x", folder],
            input=gathered.encode(),
            capture_output=True,
            check=True,
        )
        assert done.stdout == b""
        staged = [Path(folder, "change", f".hostmuster.0a1b.{n + 1}").read_bytes() for n in range(len(contents))]
        assert staged == contents
        assert Path(folder, "originals.list").read_text().count("absent - ") == len(contents)


LEASES = [
    ("", "taken\n= "),
    ("bob@y dead 99999999999", "held bob@y dead"),
    ("bob@y dead 1", "taken-over bob@y dead"),
    ("ada@x mine 1", "taken\n"),
]


@pytest.mark.parametrize(("held", "said"), LEASES)
def test_a_living_lease_of_another_run_keeps_this_one_off(tmp_path: Path, held: str, said: str) -> None:
    (tmp_path / "lease").write_text(f"{held}\n" if held else "")
    done = sh(f"STATE={tmp_path} LEASE={tmp_path}/lease; load; lease ada@x mine 60; answer end 0 done")
    assert said.strip("= \n") in done.stdout


def test_a_run_that_is_dead_for_sure_keeps_nobody_off(tmp_path: Path) -> None:
    (tmp_path / "lease").write_text("bob@y dead 99999999999\n")
    done = sh(f"STATE={tmp_path} LEASE={tmp_path}/lease; load; lease ada@x mine 60 dead")
    assert "taken-over bob@y dead" in done.stdout
    assert (tmp_path / "lease").read_text().startswith("ada@x mine ")


def group(body: str) -> subprocess.Popen[bytes]:
    """A script in a process group of its own, as sshd gives it one."""
    return subprocess.Popen(
        ["dash", "-c", f"{functions()}\nSTOPPED_S=2\n{body}"], stdout=subprocess.PIPE, process_group=0
    )


def is_over(process: subprocess.Popen[bytes]) -> bool:
    """Whether nothing of its group runs any more."""
    process.poll()
    try:
        os.killpg(process.pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.parametrize("death", ["the client is gone", "kill -9 of the script", "the script is stopped for good"])
def test_a_script_and_what_it_runs_end_within_seconds(death: str) -> None:
    process = group("alive; sleep 60")
    assert process.stdout is not None
    assert process.stdout.readline() == b".\n"
    match death:
        case "the client is gone":
            process.stdout.close()
        case "kill -9 of the script":
            process.kill()
        case _:
            os.kill(process.pid, signal.SIGSTOP)
    deadline = time.monotonic() + 10
    while not is_over(process):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.wait()
    process.stdout.close()


def test_a_stopped_script_gives_no_sign_of_life() -> None:
    process = group("alive; sleep 60")
    assert process.stdout is not None
    process.stdout.readline()
    os.kill(process.pid, signal.SIGSTOP)
    time.sleep(0.2)
    began = time.monotonic()
    rest = process.stdout.read()
    assert time.monotonic() - began > 1.5
    assert rest.count(b".") <= 1, "one may have been on its way"
    process.wait()
    process.stdout.close()


def test_what_comes_before_the_marker_is_dropped_and_a_cut_script_is_not_run() -> None:
    loader, mark = script.LOADER, "hostmuster-0123456789abcdef"
    whole = f"a password\n{mark}\n20 {'x' * 64}\necho this was run ok"
    cut = subprocess.run(["sh", "-c", loader, mark], input=whole, capture_output=True, text=True, check=False)
    assert cut.returncode != 0
    assert cut.stdout == ""
    given = script.stdin(mark, "", "a password")
    assert given.startswith(f"a password\n{mark}\n")


def halts(folder: Path, *units: str) -> str:
    """Shell lines: these units were halted, systemd says that a.service runs, and of any that it failed."""
    (folder / "halted").mkdir()
    for unit in units:
        (folder / "halted" / unit).write_text("1796000000.25 enabled\n")
    (folder / "halted" / ".a.service").write_text("1796000000.25 enabled\n")
    shows = "echo LoadState=loaded; echo ActiveState=failed"
    return f"""STATE={folder}; sync() {{ :; }}; hush() {{ :; }}; note() {{ :; }}
    systemctl() {{ case "$*" in *is-active*a.service) ;; show*) {shows} ;; *) touch {folder}/acts; false ;; esac; }}"""


def test_a_host_names_what_was_halted_and_does_not_run(tmp_path: Path) -> None:
    done = sh(f"{halts(tmp_path, 'a.service', 'b.service')}; load; ask_state state")
    assert [line for line in done.stdout.splitlines() if line.startswith("halted")] == ["halted b.service"]


def test_a_restart_owed_does_not_start_what_was_halted(tmp_path: Path) -> None:
    done = sh(f"{halts(tmp_path, 'b.service')}; mkdir {tmp_path}/owed; pay b.service restart 1")
    assert "not running" in done.stdout, done.stderr
    assert not (tmp_path / "acts").exists()
