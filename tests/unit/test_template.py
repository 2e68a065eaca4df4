"""A template that cannot be rendered is named with its line, and with what to do about it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hostmuster.errors import InputError, Problem
from hostmuster.template import MOST_BYTES, Templates

Wrong = Callable[..., Problem]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project's templates."""
    (tmp_path / "templates" / "app").mkdir(parents=True)
    return tmp_path / "templates"


@pytest.fixture
def wrong(folder: Path) -> Wrong:
    """The one problem of rendering a body (or a template by its name)."""

    def render(body: bytes | str = b"", name: str = "app/a.j2", **values: object) -> Problem:
        if body:
            (folder / "app" / "a.j2").write_bytes(body if isinstance(body, bytes) else body.encode())
        with pytest.raises(InputError) as caught:
            Templates(folder).render(name, values)
        (problem,) = caught.value.problems
        return problem

    return render


def test_values_are_put_in_and_the_last_line_break_stays(folder: Path) -> None:
    (folder / "app" / "a.j2").write_text("{% for n in ports %}\nlisten {{ n }}\n{% endfor %}\nend\n")
    assert Templates(folder).render("app/a.j2", {"ports": [1, 2]}) == b"listen 1\nlisten 2\nend\n"


def test_a_missing_template_is_named_with_those_that_are_there(folder: Path, wrong: Wrong) -> None:
    (folder / "app" / "b.j2").write_text("x")
    problem = wrong(name="app/nope.j2")
    assert (problem.where, problem.what) == ("templates/app/nope.j2", "there is no such template")
    assert problem.remedy.endswith("take one of: app/b.j2")


def test_an_undefined_variable_is_named_with_its_line_and_with_what_is_given(wrong: Wrong) -> None:
    problem = wrong("one\ntwo {{ prot }}\n", port=80, name_="x")
    assert problem.where == "templates/app/a.j2:2"
    assert "'prot' is undefined" in problem.what
    assert problem.remedy.endswith("the template is given: name_, port")


def test_an_undefined_member_is_no_empty_text(wrong: Wrong) -> None:
    assert "has no element 'b'" in wrong("{{ a.b }}", a={}).what or "no attribute 'b'" in wrong("{{ a.b }}", a={}).what


@pytest.mark.parametrize(
    "ask", [lambda templates: templates.render("a.j2", {}), lambda templates: templates.files("b")]
)
def test_without_the_folder_every_template_says_the_same(tmp_path: Path, ask: Callable[[Templates], object]) -> None:
    with pytest.raises(InputError) as caught:
        ask(Templates(tmp_path / "templates"))
    (problem,) = caught.value.problems
    assert (problem.where, "no such folder" in problem.what) == ("templates/", True)
    assert "copy the folder of that name" in problem.remedy


def test_a_mistake_in_an_included_template_is_named_there(folder: Path, wrong: Wrong) -> None:
    (folder / "app" / "part.j2").write_text("\n\n{{ gone }}\n")
    assert wrong('{% include "app/part.j2" %}').where == "templates/app/part.j2:3"


@pytest.mark.parametrize(
    ("body", "where", "what"),
    [
        ("a\n{% if %}\n", "templates/app/a.j2:2", "Expected an expression"),
        ("a\n\n{% if x %}\n", "templates/app/a.j2:3", "Unexpected end of template"),
        ("a\n{{ 1 / 0 }}", "templates/app/a.j2:2", "ZeroDivisionError"),
        ("a\n{{ 'x' + 1 }}", "templates/app/a.j2:2", "TypeError"),
        ("{{ x | nofilter }}", "templates/app/a.j2:1", "No filter named 'nofilter'"),
        (b"caf\n\xe9\n", "templates/app/a.j2:2", "not UTF-8 there"),
        ('{% include "app/gone.j2" %}', "templates/app/gone.j2", "there is no such template"),
    ],
)
def test_a_mistake_is_named_with_its_line(wrong: Wrong, body: bytes | str, where: str, what: str) -> None:
    problem = wrong(body, x=1)
    assert problem.where == where
    assert what in problem.what


def test_five_megabytes_are_no_template(wrong: Wrong) -> None:
    problem = wrong(b"x" * 5_000_000)
    assert problem.where == "templates/app/a.j2"
    assert f"has 5000000 bytes; a file of an item has at most {MOST_BYTES}" in problem.what


def test_nor_may_a_small_one_grow_to_that(wrong: Wrong) -> None:
    assert "renders to 5000000 bytes" in wrong("{{ 'x' * 5000000 }}").what


@pytest.mark.parametrize("name", ["../inventory/lab.yml", "/etc/passwd", "app", "app/../../inventory/lab.yml"])
def test_only_files_below_templates_are_templates(folder: Path, wrong: Wrong, name: str) -> None:
    (folder.parent / "inventory").mkdir()
    (folder.parent / "inventory" / "lab.yml").write_text("x")
    assert wrong(name=name).what == "there is no such template"


def test_blanks_in_the_names_of_a_tree_are_refused(folder: Path) -> None:
    (folder / "app" / "two words").write_text("x")
    (folder / "app" / "line\nbreak").write_text("x")
    with pytest.raises(InputError) as caught:
        Templates(folder).files("app")
    assert "'line\\nbreak', 'two words'" in caught.value.problems[0].what
