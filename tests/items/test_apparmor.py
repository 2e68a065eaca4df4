"""The apparmor item: what it asks for, what it refuses before any host is touched, how its effects are judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deploys.checklist import CHECKLIST
from deploys.items import apparmor as item
from hostmuster.effects.apparmor import as_written, confined, enforced, refused
from hostmuster.engine.catalogue import compile_fleet
from hostmuster.errors import InputError
from hostmuster.item import Answer, Effect, Seen
from hostmuster.resources.apparmor_profile import AppArmorProfile
from hostmuster.resources.file import File
from hostmuster.resources.unit import Unit
from tests.items.project import compiled, fleet, resource

AGENT = {
    "template": "host-workload.j2",
    "attaches": "/usr/local/bin/agent",
    "values": {"writes": ["/srv/service/work"]},
    "refused": ["/usr/local/bin/agent", "read", "/etc/shadow"],
    "restarts": ["agent.service"],
}
PROFILES: dict[str, Any] = {"profiles": {"docker-workload": {"template": "docker-workload.j2"}, "agent": AGENT}}
ON_13 = "profile app {\n  userns,\n}\n"


def one(**changed: Any) -> dict[str, Any]:
    """Settings with one profile, called app."""
    return {"apparmor": {"profiles": {"app": {"text": "profile app {\n}\n"} | changed}}}


def test_only_the_host_that_declares_it_gets_it(tmp_path: Path) -> None:
    catalogue = compile_fleet(fleet(tmp_path, {}, worker_1={"apparmor": PROFILES}), CHECKLIST, only="apparmor")
    assert catalogue.hosts["server-1"] == ()
    assert [part.item.name for part in catalogue.hosts["worker-1"]] == ["apparmor"]


def test_profiles_lie_where_the_boot_loads_them_and_no_folder_deeper(tmp_path: Path) -> None:
    part = compiled(tmp_path, "apparmor", {"apparmor": PROFILES})
    assert [one.id for one in part.resources] == [
        "package apparmor",
        "file /etc/apparmor.d/docker-workload",
        "profile docker-workload",
        "file /etc/apparmor.d/agent",
        "profile agent",
        "unit apparmor.service",
    ]
    unit: Unit = resource(part, "unit apparmor.service")
    assert (unit.enabled, unit.active) == (True, None), "it starts at boot; without AppArmor it is skipped"


def test_the_profiles_of_the_repository_are_for_containers_and_for_a_program(tmp_path: Path) -> None:
    part = compiled(tmp_path, "apparmor", {"apparmor": PROFILES})
    container: File = resource(part, "file /etc/apparmor.d/docker-workload")
    program: File = resource(part, "file /etc/apparmor.d/agent")
    assert b"profile docker-workload flags=(attach_disconnected,mediate_deleted) {" in container.content
    assert b"profile agent /usr/local/bin/agent flags=(attach_disconnected) {" in program.content
    assert b"  /srv/service/work/** rwlkix,\n" in program.content
    assert container.validate[:2] == ("apparmor_parser", "--skip-kernel-load"), (
        "the host's own parser has the last word"
    )
    profile: AppArmorProfile = resource(part, "profile agent")
    assert profile.restarts == ("agent.service",)


def test_what_the_program_must_be_refused_is_asked_in_deep_verification(tmp_path: Path) -> None:
    part = compiled(tmp_path, "apparmor", {"apparmor": PROFILES})
    assert {effect.name: effect.cost for effect in part.effects} == {
        "the profiles are loaded": "cheap",
        "/usr/local/bin/agent runs under agent": "cheap",
        "agent refuses `/usr/local/bin/agent read /etc/shadow`": "deep",
        "what is loaded is what the files say": "deep",
    }


def test_a_profile_is_judged_by_the_release_of_each_host(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        compiled(tmp_path, "apparmor", one(text=ON_13))
    (where, *others) = {problem.where for problem in caught.value.problems}
    assert (where, others) == ("server-1, apparmor, /etc/apparmor.d/app", [])
    assert "line 2: Debian 12 does not know this rule" in str(caught.value)
    part = compiled(tmp_path, "apparmor", {}, "worker-1", worker_1=one(text=ON_13))
    assert resource(part, "file /etc/apparmor.d/app").content == ON_13.encode()


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (one(template="host-workload.j2"), "either a template or a text"),
        (one(text=None), "either a template or a text"),
        (one(enforcing=False, refused=["cat", "/etc/shadow"]), "a profile that only complains refuses nothing"),
        (one(text="profile app {\n  include <abstractions/nope>\n}\n"), "Could not open 'abstractions/nope'"),
        (one(text="abi <abi/4.0>,\nprofile app {\n}\n"), "Debian 12 does not know this ABI"),
        (one(text="profile app flags=(complain) {\n}\n"), "refuses nothing"),
        ({"apparmor": {"profiles": {"containers/app": {"text": "x"}}}}, "no name for a profile"),
        ({"apparmor": {"profiles": {"disable": {"text": "x"}}}}, "AppArmor reads it as something else"),
        ({"apparmor": {"profiles": {"app.dpkg-old": {"text": "x"}}}}, "AppArmor reads it as something else"),
        ({"apparmor": {"profiles": {"app~": {"text": "x"}}}}, "no name for a profile"),
    ],
)
def test_what_would_not_load_is_refused_before_any_host_is_touched(
    settings: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        compiled(tmp_path, "apparmor", settings)
    assert reason in str(caught.value)


def judged(effect: Effect, *lines: str) -> Seen:
    """What an effect says of an answer of these lines."""
    return effect.judge(Answer(0, "\n".join(lines)))


LOADED = enforced({"app": True, "trial": False})


@pytest.mark.parametrize(
    ("lines", "ok", "seen"),
    [
        (("there", "app (enforce)", "app//child (enforce)", "trial (complain)"), True, "app, trial"),
        (("there", "app (kill)", "trial (complain)"), True, "app, trial"),
        (("there", "app (complain)", "trial (complain)"), False, "app is in mode complain"),
        (
            ("there", "app (unconfined)", "trial (enforce)"),
            False,
            "app is in mode unconfined, trial is in mode enforce",
        ),
        (("there", "my app (enforce)"), False, "app is not loaded, trial is not loaded"),
        (("absent",), None, "this kernel has no AppArmor"),
        (("container",), None, "this host is a container: AppArmor is its machine's affair"),
        (("off",), False, "AppArmor was switched off at boot (apparmor=0 or lsm=)"),
        (("hidden",), False, "securityfs is not mounted"),
        ((), False, "nothing was answered"),
    ],
)
def test_only_what_the_kernel_itself_says_counts(lines: tuple[str, ...], ok: bool | None, seen: str) -> None:
    assert judged(LOADED, *lines) == Seen(ok, seen)


def test_without_apparmor_nothing_is_ok_and_nothing_fails() -> None:
    effects = (LOADED, confined("app", "/x"), refused("app", ["cat", "/x"], by_path=False), as_written(["app"]))
    assert [judged(effect, "absent").ok for effect in effects] == [None] * 4


def test_a_process_older_than_its_profile_is_named() -> None:
    effect = confined("app", "/usr/bin/app")
    assert judged(effect, "there", "12/exe app (enforce)", "13/exe app//child (enforce)", "14/exe ").ok
    assert judged(effect, "there", "12/exe unconfined") == Seen(False, "process 12 is unconfined")
    assert judged(effect, "there", "12/exe apple (enforce)") == Seen(False, "process 12 is apple")


def test_a_refusal_proves_something_only_where_the_command_succeeds_otherwise() -> None:
    effect = refused("app", ["cat", "/etc/shadow"], by_path=False)
    assert judged(effect, "there", "bound 1 cat: /etc/shadow: Permission denied").ok
    assert judged(effect, "there", "bound 0 ") == Seen(False, "it is not refused")
    assert (
        judged(effect, "there", "free 127").seen == "it proves nothing: it fails without the profile too (status 127)"
    )
    assert judged(effect, "there", "idle") == Seen(False, "app enforces nothing")


def test_an_older_text_in_the_kernel_is_named() -> None:
    effect = as_written(["app", "other"])
    assert judged(effect, "there", "app 1a 1a", "other 2b 2b") == Seen(True, "2 profiles")
    assert judged(effect, "there", "app 1a 1a", "other 2b 3c") == Seen(False, "another text of other is loaded")


def test_hosts_of_which_only_one_kernel_has_it_are_told_apart(tmp_path: Path) -> None:
    (kernel,) = item.alike(fleet(tmp_path, {}).hosts["server-1"])
    assert [kernel.say(said) for said in ("Y", "N", None)] == ["enabled", "not enabled", "not enabled"]
