"""What the project's own Python code raises is one error: what, of which file, on which host, by which line of it."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import cast

import pytest

from hostmuster.engine.catalogue import Compiled, compile_fleet
from hostmuster.engine.effects import judge as judge_effects
from hostmuster.engine.foreign import foreign
from hostmuster.engine.job import Job
from hostmuster.engine.observation import Survey
from hostmuster.engine.outcome import HostOutcome
from hostmuster.engine.plan import plan_host
from hostmuster.errors import Refused
from hostmuster.item import Answer, Item, ItemModule
from hostmuster.model.fleet import Host
from hostmuster.model.inventory import load_fleet
from hostmuster.onhost.answers import Answers
from hostmuster.project import Project
from hostmuster.resources.file import File
from hostmuster.secrets.founding import found_store
from hostmuster.secrets.place import store_path
from hostmuster.tasks.engine import ENGINE

ITEM = '''"""An item of the project's own."""

from hostmuster.item import Item

ITEM = Item("own")


def resources(host):
    {resources}
    yield


def effects(host):
    {effects}
'''
FLEET = """
fleet: unit
lab: false
roles: {web: {}}
hosts:
  a: {address: 192.0.2.1, debian: 12, roles: [web]}
"""


HOST = """\
hosts:
  a:
    address: 192.0.2.1
    debian: 12
    roles: [web]"""


class Written:
    """A project with a checklist of one item."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.checklist, self.item = root / "deploys" / "checklist.py", root / "deploys" / "own.py"
        for folder in ("inventory", "deploys", "home"):
            (root / folder).mkdir()
        (root / "deploys" / "__init__.py").touch()
        (root / "inventory" / "unit.yml").write_text(FLEET)
        self.item.write_text(ITEM.format(resources="return", effects="return ()"))
        self.checklist.write_text("from deploys import own\n\nCHECKLIST = (own,)\n")
        found_store(store_path(Project(root), "unit"), "unit", (), {}, root / "home")

    def refused(self, *hosts: str) -> str:
        """What the engine, as a process of its own, ends with: one error, and nothing beside it."""
        job = Job(command="check", project=self.root, fleet="unit", limit=hosts, holder="test").model_dump_json()
        environment = os.environ | {"HOME": str(self.root / "home")}
        ended = subprocess.run(ENGINE, input=job, capture_output=True, text=True, check=False, env=environment)
        assert ended.stderr == ""
        (event,) = map(json.loads, ended.stdout.splitlines())
        assert (ended.returncode, event["event"], event["exit"]) == (3, "error", 3)
        text: str = event["text"]
        return text


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Written:
    for variable in ("XDG_CONFIG_HOME", "SOPS_AGE_KEY_FILE", "HOSTMUSTER_SECRETS"):
        monkeypatch.delenv(variable, raising=False)
    return Written(tmp_path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('x = 1\nraise ValueError("x")\n', "ValueError: x (PATH:2)"),
        ("import sys\nsys.exit(7)\n", "SystemExit: 7 (PATH:2)"),
        ("x = 1\nCHECKLIST = (\n", "SyntaxError: '(' was never closed (PATH:2)"),
        ("import deploys.gone\n", "ModuleNotFoundError: No module named 'deploys.gone' (PATH:1)"),
        ("CHECKLIST = 5\n", "in its CHECKLIST, 5 is no item module"),
        ("CHECKLIST = (1,)\n", "in its CHECKLIST, 1 is no item module"),
        ("import json\nCHECKLIST = [json]\n", "in its CHECKLIST, <module 'json'"),
        ("x = 1\n", "in its CHECKLIST, None is no item module"),
    ],
)
def test_a_checklist_that_cannot_be_read(written: Written, text: str, says: str) -> None:
    written.checklist.write_text(text)
    told = written.refused()
    assert told.startswith(f"{written.checklist}: {says.replace('PATH', str(written.checklist))}")
    assert "it must define CHECKLIST, a tuple of item modules" in told


@pytest.mark.parametrize(
    ("resources", "effects", "says"),
    [
        ('raise KeyError("boom")', "return ()", "KeyError: 'boom' (PATH:9)"),
        ("exit(7)", "return ()", "SystemExit: 7 (PATH:9)"),
        ("return", "return 1 / 0", "ZeroDivisionError: division by zero (PATH:14)"),
        ("return", "pass", "TypeError: 'NoneType' object is not iterable ("),
    ],
)
def test_an_item_that_raises(written: Written, resources: str, effects: str, says: str) -> None:
    written.item.write_text(ITEM.format(resources=resources, effects=effects))
    told = written.refused()
    assert told.startswith(f"a, own: {says.replace('PATH', str(written.item))}")
    assert f"correct the item own, {written.item}" in told


def compiled(written: Written) -> tuple[Host, Compiled]:
    """Its one host, and the item there."""
    spec = importlib.util.spec_from_file_location("own", written.item)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    fleet = load_fleet(Project(written.root), "unit", {"own": None})
    (part,) = compile_fleet(fleet, [cast("ItemModule", module)]).hosts["a"]
    return fleet.hosts["a"], part


SETTINGS = """
class Settings(BaseModel):
    size: int = 1

    @field_validator("size")
    @classmethod
    def of_even_size(cls, size: int) -> int:
        return {2: 2}[size]
"""


@pytest.mark.parametrize(
    ("declared", "says"),
    [
        ("", "inventory/unit.yml:10: settings.own: KeyError: 3 (PATH:12) (set by host a)"),
        (
            "settings: {own: {size: 3}}\n",
            "inventory/unit.yml:1: settings.own: KeyError: 3 (PATH:12) (set at fleet level)",
        ),
    ],
)
def test_a_validator_of_an_items_settings_that_raises(written: Written, declared: str, says: str) -> None:
    item = ITEM.format(resources="return", effects="return ()").replace('"own")', '"own", settings=Settings)')
    item = item.replace("\n\nITEM =", f"\nfrom pydantic import BaseModel, field_validator\n{SETTINGS}\n\nITEM =")
    written.item.write_text(item)
    own = "" if declared else "\n    settings: {own: {size: 3}}"
    text = FLEET.replace("hosts:\n  a: {address: 192.0.2.1, debian: 12, roles: [web]}", HOST + own)
    (written.root / "inventory" / "unit.yml").write_text(declared + text)
    told = written.refused()
    assert told.startswith(says.replace("PATH", str(written.item)))
    assert "correct the item own: its settings are deploys.own.Settings" in told


@pytest.mark.parametrize(
    ("judge", "says"),
    [
        (
            "lambda answer: answer.output.split()[3]",
            "IndexError: list index out of range (PATH:14): correct the item own",
        ),
        ("lambda answer: True", "TypeError: its judge gives True, not Seen ("),
    ],
)
def test_a_judge_that_raises_fails_its_item_alone(written: Written, judge: str, says: str) -> None:
    effects = (
        f'yield Effect("it answers", ("true",), {judge})\n    yield Effect("it holds", ("true",), lambda _: HOLDS)'
    )
    text = ITEM.format(resources="return", effects=effects).replace("import Item\n", "import Effect, Item, Seen\n")
    written.item.write_text(text.replace('"own")\n', '"own"); HOLDS = Seen(True, "yes")\n'))
    _, part = compiled(written)
    answers = Answers({"effect.0": Answer(0, ""), "effect.1": Answer(0, "")})
    broken, holding = judge_effects([("own", effect) for effect in part.effects], answers)
    assert (broken.item, broken.seen.ok, broken.seen.lasts) == ("own", False, True)
    assert broken.seen.seen.startswith(says.replace("PATH", str(written.item)))
    assert holding.seen.ok is True


KIND = """
from hostmuster.resources.resource import Difference, Probe, Question

PROBE = Probe("own", ("true",), lambda output, keys: {split})


class Kind:
    id = claim = "own kind"
    risky = False

    def questions(self):
        {questions}
        yield Question(PROBE, "x")

    def compare(self, seen):
        yield Difference(self.id, "state", str(seen[Question(PROBE, "x")]), {compare})

    def steps(self, seen):
        {steps}
        yield

    def in_service(self, seen):
        return {in_service}
"""
SOUND = {"split": "{}", "questions": "pass", "compare": "'y'", "steps": "return", "in_service": "False"}


def of_own_kind(written: Written, **broken: str) -> int:
    """An item that serves, with one resource of the project's own kind. The line that the word PATH stands for."""
    kind = KIND.format(**{**SOUND, **broken})
    text = ITEM.format(resources="yield Kind(); return", effects="return ()").replace('"own")', '"own", serves=True)')
    text = text.replace("\n\nITEM =", f"\n{kind}\n\nITEM =")
    written.item.write_text(text)
    (value,) = broken.values()
    return next(number for number, line in enumerate(text.splitlines(), 1) if value in line)


def test_a_kind_whose_questions_raise_is_refused_before_any_host_is_asked(written: Written) -> None:
    line = of_own_kind(written, questions="1 / 0")
    told = written.refused("a")
    assert told.startswith(f"a, own: ZeroDivisionError: division by zero ({written.item}:{line})")


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (
            {"compare": "[][3]"},
            "IndexError: list index out of range (PATH): correct that kind of resource, or the item own",
        ),
        ({"steps": "exit(7)"}, "SystemExit: 7 (PATH): correct that kind of resource, or the item own"),
        ({"steps": "yield 5"}, "TypeError: its steps give 5 ("),
        ({"compare": "'y'); yield str(seen.now"}, "TypeError: its compare gives '"),
        ({"in_service": "1 / 0"}, "ZeroDivisionError: division by zero (PATH): correct that kind of resource, or"),
        ({"split": "{}['x']"}, "KeyError: 'x' (PATH): correct what splits the answers of the probe own"),
    ],
)
def test_a_kind_that_raises_fails_its_item_alone(written: Written, broken: dict[str, str], says: str) -> None:
    line = of_own_kind(written, **broken)
    host, part = compiled(written)
    whole = Compiled(Item("whole"), "", (File("/etc/whole", b"x"),), ())
    survey = Survey(host, (part, whole))
    seen = survey.read(cast("Answers", defaultdict(lambda: Answer(0, ""))))
    plan = plan_host("a", [part, whole], seen, 1, frozenset({"own", "whole"}), written.root)
    outcome = HostOutcome("a")
    outcome.compare(plan)
    assert (outcome.items["own"].status, outcome.items["whole"].status, outcome.exit) == ("failed", "differs", 1)
    reason = outcome.items["own"].reason or ""
    assert reason.startswith(says.replace("PATH", f"{written.item}:{line}"))
    assert [one.item for one in plan.changes] == ["own", "whole"], "apply comes to it, and no further on this host"
    assert plan.changes[0].blocked == (reason,)


def test_an_interruption_is_no_error_of_it(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), foreign(tmp_path, "a", "correct it"):
        raise KeyboardInterrupt


def test_what_it_refuses_on_purpose_stays_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"^on purpose$"), foreign(tmp_path, "a", "correct it"):
        raise Refused("on purpose")
