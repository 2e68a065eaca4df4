"""What the project's own Python code raises is one error: what, of which file, on which host, by which line of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hostmuster.engine.effects import judge as judge_effects
from hostmuster.engine.finding import Looked, findings
from hostmuster.engine.foreign import foreign
from hostmuster.errors import Refused
from hostmuster.item import Answer
from hostmuster.onhost.answers import Answers
from hostmuster.resources.content import CONTENT
from hostmuster.resources.resource import Observation
from tests.unit.engine.written import FLEET, ITEM, Written

HOST = """\
hosts:
  a:
    address: 192.0.2.1
    debian: 12
    roles: [web]"""


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
    _, part = written.compiled()
    answers = Answers({"effect.0": Answer(0, ""), "effect.1": Answer(0, "")})
    broken, holding = judge_effects([("own", effect) for effect in part.effects], answers)
    assert (broken.item, broken.seen.ok, broken.seen.lasts) == ("own", False, True)
    assert broken.seen.seen.startswith(says.replace("PATH", str(written.item)))
    assert holding.seen.ok is True


OFFERS = ("alike import Alike", "content import CONTENT", "resource import Question")


@pytest.mark.parametrize(
    ("say", "says"),
    [
        ("_.split()[3]", "IndexError: list index out of range (PATH)"),
        ("5", "TypeError: its say gives 5, not str or"),
    ],
)
def test_what_hosts_have_alike_cannot_be_said(written: Written, say: str, says: str) -> None:
    """It is found for each host, and ends no run."""
    imports = "".join(f"from hostmuster.resources.{names}\n" for names in OFFERS)
    text = ITEM.format(resources="return", effects="return ()").replace("import Item\n", f"import Item\n{imports}")
    text += f'\n\ndef alike(host):\n    yield Alike("x", Question(CONTENT, "/x"), lambda _: {say})\n'
    written.item.write_text(text)
    fleet = FLEET.replace("[web]}\n", "[web]}\n  b: {address: 192.0.2.2, debian: 12, roles: [web]}\n")
    (written.root / "inventory" / "unit.yml").write_text(fleet)
    seen = Observation({(CONTENT.name, "/x"): "y"})
    (found,) = findings([Looked(host, part.alike, seen, "") for host, part in written.on_each()])
    said = says.replace("PATH", f"{written.item}:{len(text.splitlines())}")
    assert [value.startswith(f"{host}, own: {said}") for value, (host,) in found.groups] == [True, True]


def test_an_interruption_is_no_error_of_it(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), foreign(tmp_path, "a", "correct it"):
        raise KeyboardInterrupt


def test_what_it_refuses_on_purpose_stays_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"^on purpose$"), foreign(tmp_path, "a", "correct it"):
        raise Refused("on purpose")
