"""What changes is said once: in the journal, in status.json, and in the alerts that wait."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from hostmuster.monitor.told import OwnChecks
from tests.unit.monitor.monitored import Monitored

GOOD, BAD = "command own true", "command own echo it broke; false"


@pytest.fixture
def hooked(monitored: Monitored) -> Monitored:
    """With a webhook whose address never came: alerts wait."""
    monitored.how += ["webhook https://hooks.example.net"]
    return monitored


def waiting(monitored: Monitored) -> list[str]:
    """The events that wait, in order."""
    lines = (monitored.folder / "state" / "state").read_text().splitlines()
    return [line.split("\t")[2] for line in lines if line.startswith("alert\t")]


def test_what_breaks_and_is_well_again_is_one_alert_each(hooked: Monitored) -> None:
    for line in (GOOD, BAD, BAD, BAD, GOOD, GOOD):
        hooked.run(line)
    assert waiting(hooked) == ["broke", "recovered"]


def test_the_journal_has_a_line_when_a_check_changes_and_none_else(monitored: Monitored) -> None:
    said = []
    for line in (GOOD, BAD, BAD, GOOD):
        monitored.run(line)
        said.append(monitored.said)
    assert said == ["", "<4>command own failed: it broke\n", "", "<5>command own is well again: succeeds\n"]


def test_who_has_patience_is_not_told_of_one_failed_run(hooked: Monitored) -> None:
    hooked.how += ["patience 3"]
    for line in (BAD, BAD, GOOD, BAD, BAD):
        hooked.run(line)
    assert waiting(hooked) == []
    hooked.run(BAD)
    assert waiting(hooked) == ["broke"]


def test_a_reminder_comes_after_the_declared_time_and_not_before(hooked: Monitored) -> None:
    hooked.how += ["remind 3600"]
    told = []
    for _ in range(5):
        hooked.run(BAD, after=1800)
        told.append(len(waiting(hooked)))
    assert waiting(hooked) == ["broke", "reminder", "reminder"]
    assert told == [1, 1, 2, 2, 3]


def test_a_frozen_host_is_quiet_and_tells_once_it_is_thawed(hooked: Monitored, tmp_path: Path) -> None:
    frozen = tmp_path / "frozen"
    hooked.how += [f"frozen {frozen}"]
    frozen.write_text("by ada\n")
    told = hooked.run(BAD)
    assert told["frozen"] is True
    assert told["checks"][0]["quiet"] == "this host is frozen"
    assert hooked.said == "<4>command own failed: it broke (no alert: this host is frozen)\n"
    assert waiting(hooked) == []
    frozen.unlink()
    hooked.run(BAD)
    assert waiting(hooked) == ["broke"]


def test_what_is_over_before_the_thaw_is_told_to_nobody(hooked: Monitored, tmp_path: Path) -> None:
    frozen = tmp_path / "frozen"
    hooked.how += [f"frozen {frozen}"]
    frozen.touch()
    hooked.run(BAD)
    hooked.run(GOOD)
    frozen.unlink()
    hooked.run(GOOD)
    assert waiting(hooked) == []


def test_without_a_webhook_nothing_waits_and_one_declared_later_hears_what_is_broken(monitored: Monitored) -> None:
    monitored.run(BAD)
    monitored.run(BAD)
    assert waiting(monitored) == []
    monitored.how += ["webhook https://hooks.example.net"]
    monitored.run(BAD)
    assert waiting(monitored) == ["broke"]


def test_of_too_many_alerts_the_oldest_go_and_the_journal_says_so(hooked: Monitored) -> None:
    checks = [f"command c{number} false" for number in range(103)]
    hooked.run(*checks)
    assert len(waiting(hooked)) == 100
    assert hooked.said.count("<3>an alert was dropped, 100 wait already") == 3
    assert "command c0" not in (hooked.folder / "state" / "state").read_text().partition("alert\t")[2]


def test_a_check_that_is_declared_no_more_is_forgotten(hooked: Monitored) -> None:
    hooked.run(BAD)
    assert [one["name"] for one in hooked.run("command other true")["checks"]] == ["command other", "alerts"]


def test_no_text_of_a_check_breaks_what_is_written(monitored: Monitored) -> None:
    monitored.how += [f"textfile {monitored.folder}/text/hostmuster.prom"]
    told = monitored.run(r"""command own printf 'a "b" \\ c & \t <d> \001 %s' ünï; false""")
    assert told["checks"][0]["seen"] == 'a "b" \\ c &   <d> ? ??n??'


def test_the_textfile_is_what_node_exporter_reads(monitored: Monitored) -> None:
    path = monitored.folder / "text" / "hostmuster.prom"
    monitored.how += [f"textfile {path}"]
    told = monitored.run(GOOD, r"disk /odd" + '"' + r"\name 90 90", "profile nobody-has-this-one")
    families = {family.name: family for family in text_string_to_metric_families(path.read_text())}
    assert {name: family.type for name, family in families.items()} == dict.fromkeys(
        (
            "hostmuster_check_ok",
            "hostmuster_check_since_seconds",
            "hostmuster_checks_at_seconds",
            "hostmuster_alerts_waiting",
            "hostmuster_frozen",
        ),
        "gauge",
    )
    found = {sample.labels["check"]: sample.value for sample in families["hostmuster_check_ok"].samples}
    # A check that could not be run is neither.
    unrun = [one["name"] for one in told["checks"] if one["status"] == "not_run"]
    assert {"command own": 1.0, r'disk /odd"\name': 0.0}.items() <= found.items()
    assert not found.keys() & set(unrun)
    assert families["hostmuster_checks_at_seconds"].samples[0].value == monitored.now
    assert oct(path.stat().st_mode)[-3:] == "644"


def test_the_status_is_for_the_service_user_of_others_and_the_rest_for_root(monitored: Monitored) -> None:
    monitored.run(GOOD)
    paths = [*(monitored.folder / "state").iterdir(), *(monitored.folder / "memory").iterdir()]
    modes = {path.name: oct(path.stat().st_mode)[-3:] for path in paths}
    assert modes.pop("status.json") == "640"
    assert set(modes.values()) == {"600"}


def test_the_command_line_reads_the_same_file(monitored: Monitored) -> None:
    monitored.run(GOOD, "command bad echo no; false")
    told = (monitored.folder / "memory" / "status.json").read_text()
    assert OwnChecks.parse(f"{monitored.now + 7}\n{told}") == OwnChecks(7, False, 1, 0, {"command bad": "no"})
    late = OwnChecks.parse(f"{monitored.now + 76}\n{told}")
    assert late is not None
    assert late.late
    assert OwnChecks.parse("1900000000\ncat: /var/lib/x: No such file or directory") is None


def test_a_full_disk_keeps_nobody_from_telling_of_it(hooked: Monitored, small_disk: Path) -> None:
    state = hooked.folder / "state"
    state.rmdir()
    state.symlink_to(small_disk)
    hooked.run(GOOD)
    before = (state / "state").read_text()
    with (small_disk / "fill").open("wb", buffering=0) as file, suppress(OSError):
        while file.write(b"x" * 4096):
            pass
    told = hooked.run(f"disk {small_disk} 90 90")
    assert told["checks"][0]["seen"] == "100% used, limit 90%"
    assert told["alerts_waiting"] == 1
    assert "<3>what was told is not on disk: " in hooked.said
    assert (state / "state").read_text() == before
    (small_disk / "fill").unlink()
    hooked.run(f"disk {small_disk} 90 90")
    assert waiting(hooked) == ["broke", "recovered"]


def test_after_a_boot_it_goes_on_from_what_is_on_disk(hooked: Monitored) -> None:
    hooked.run(BAD)
    for path in (hooked.folder / "memory").iterdir():
        path.unlink()
    hooked.run(BAD)
    hooked.run(GOOD)
    assert waiting(hooked) == ["broke", "recovered"]
