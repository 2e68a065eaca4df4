"""What pydantic found wrong, in plain words: the place, what is wrong, and what to write instead."""

from __future__ import annotations

import json
import typing
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from difflib import get_close_matches

from pydantic import BaseModel, JsonValue, ValidationError
from pydantic_core import ErrorDetails

from hostmuster.model.known_fields import example, known_keys
from hostmuster.model.tree import KeyPath

Model = typing.TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True)
class Complaint:
    """One mistake at a path of the checked tree; the caller knows its file and line. `absent`: nothing is there."""

    path: KeyPath
    what: str
    remedy: str
    absent: bool = False


_OURS: typing.Final = nullcontext()
_KINDS = {
    "string": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "dict": "a mapping (`key: value`)",
    "model": "a mapping (`key: value`)",
    "list": "a list",
    "tuple": "a list",
    "set": "a list",
    "frozen_set": "a list",
}


def check(
    model: type[Model],
    data: JsonValue,
    spelled: Mapping[KeyPath, str],
    at: KeyPath = (),
    border: AbstractContextManager[None] = _OURS,
) -> Model | list[Complaint]:
    """The data as the model, or everything wrong with it. Paths in complaints begin with `at`.

    Validates as strict JSON: no text is taken for a number, nor 1 for true; lists become tuples or sets. `border`:
    around the model's own validators, where somebody else wrote them.
    """
    with border:
        try:
            return model.model_validate_json(json.dumps(data), strict=True)
        except ValidationError as error:
            found = error.errors(include_url=False)
    return [_complaint(details, model, data, spelled, at) for details in found]


def _complaint(
    error: ErrorDetails, model: type[BaseModel], data: JsonValue, spelled: Mapping[KeyPath, str], at: KeyPath
) -> Complaint:
    path = _path_in(data, error["loc"])
    kind, context = error["type"], error.get("ctx", {})
    full = (*at, *path)
    if kind == "missing":
        return _missing(str(error["loc"][-1]), model, path, full)
    if kind == "extra_forbidden":
        return _unknown(str(path[-1]), model, path, full)
    name = dotted(full)
    if kind == "wrong":
        return Complaint(full, f"{name}: {context['what']}" if name else context["what"], context["remedy"])
    expected = _KINDS.get(kind.removesuffix("_type").removesuffix("_from_float").removesuffix("_parsing"))
    if expected and kind.endswith(("_type", "_from_float", "_parsing")):
        found = shown(error["input"])
        return Complaint(
            full,
            f"{name}: {expected} is expected, found {found}",
            _instead(expected, error["input"], spelled.get(full), example(model, path)),
        )
    if kind == "literal_error":
        return Complaint(
            full,
            f"{name}: {shown(error['input'])} is none of the values it takes",
            f"write {context['expected']}",
        )
    if kind == "value_error":
        return Complaint(full, f"{name}: {context['error']}", "change it here")
    sample = example(model, path)
    said = error["msg"].removeprefix("Input ").removeprefix("Value ")
    remedy = f"write for example {sample}" if sample else "change it to what is asked"
    return Complaint(full, f"{name}: {shown(error['input'])} {said}", remedy)


def dotted(path: KeyPath) -> str:
    """A path as people read it: `hosts.worker-1.roles[0]`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")


def shown(value: object) -> str:
    """A value as the file spells it, cut to a line's length."""
    if value is None:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False, default=str)
    text = text if len(text) <= 60 else f"{text[:57]}..."
    noun = {
        bool: "",
        int: "the number ",
        float: "the number ",
        str: "the text ",
        list: "the list ",
        dict: "the mapping ",
    }.get(type(value), "")
    return f"{noun}{text}"


def suggestion(word: str, known: typing.Iterable[str]) -> str:
    """`did you mean ...` for a close word, else all that is known."""
    names = sorted(known)
    close = get_close_matches(word.lower(), names, n=1, cutoff=0.6)
    listed = ", ".join(names) if names else "nothing"
    return f"did you mean `{close[0]}`? Known here: {listed}" if close else f"remove it; known here: {listed}"


def _path_in(data: JsonValue, loc: tuple[str | int, ...]) -> KeyPath:
    """The part of pydantic's location that exists in the data (it also names unions and validators)."""
    path: list[str | int] = []
    here = data
    for part in loc:
        if isinstance(part, str):
            if not isinstance(here, dict) or part not in here:
                continue
            here = here[part]
        else:
            if not isinstance(here, list) or part >= len(here):
                continue
            here = here[part]
        path.append(part)
    return tuple(path)


def _missing(key: str, model: type[BaseModel], path: KeyPath, full: KeyPath) -> Complaint:
    sample = example(model, (*path, key))
    around = f" in {dotted(full)}" if full else ""
    return Complaint(full, f"the key `{key}` is missing{around}", f"add `{key}: {sample or '...'}`", absent=True)


def _unknown(key: str, model: type[BaseModel], path: KeyPath, full: KeyPath) -> Complaint:
    around = f" in {dotted(full[:-1])}" if full[:-1] else ""
    return Complaint(full, f"unknown key `{key}`{around}", suggestion(key, known_keys(model, path[:-1])))


def _instead(expected: str, value: object, spelled: str | None, sample: str) -> str:
    if expected == "text" and isinstance(value, bool | int | float):
        return f'quote it: "{spelled if spelled is not None else json.dumps(value)}"'
    if expected == "a list" and isinstance(value, str | int | float):
        return f"write it in brackets: [{value if not isinstance(value, bool) else json.dumps(value)}]"
    if expected.startswith("a mapping") and value is None:
        return "write {} if there is nothing to say"
    if value is None:
        return f"write a value{f', for example {sample}' if sample else ''}, or remove the key"
    if expected == "true or false":
        return "write true or false, without quotes"
    if "number" in expected and isinstance(value, str):
        return f"write it without quotes{f', for example {sample}' if sample else ''}, digits only"
    return f"write {expected}{f', for example {sample}' if sample else ''}"
