"""Which fields a model knows at a path of its data, and their examples: what a message can suggest."""

from __future__ import annotations

import json
import typing
from collections.abc import Iterator
from types import UnionType

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from hostmuster.model.tree import KeyPath


def known_keys(model: type[BaseModel], path: KeyPath) -> frozenset[str]:
    """The keys the model takes in the mapping at the path."""
    return frozenset(name for owner in _models_at(model, path) for name in _fields(owner))


def example(model: type[BaseModel], path: KeyPath) -> str:
    """The first example of the field at the path, as YAML; empty where it has none."""
    if not path or not isinstance(path[-1], str):
        return ""
    for owner in _models_at(model, path[:-1]):
        info = _fields(owner).get(path[-1])
        if info and info.examples:
            example = info.examples[0]
            quoted = isinstance(example, str) and example[:1].isdigit() and "." not in example
            return json.dumps(example) if quoted or not isinstance(example, str) else example
    return ""


def _fields(model: type[BaseModel]) -> dict[str, FieldInfo]:
    return {info.alias or name: info for name, info in model.model_fields.items()}


def _models_at(model: type[BaseModel], path: KeyPath) -> Iterator[type[BaseModel]]:
    """The models that a path of the data may belong to."""
    here: list[object] = [model]
    for part in path:
        here = [inner for kind in here for inner in _inside(kind, part)]
    for kind in here:
        yield from (found for found in _plain_types(kind) if isinstance(found, type) and issubclass(found, BaseModel))


def _inside(kind: object, part: str | int) -> Iterator[object]:
    for found in _plain_types(kind):
        if isinstance(found, type) and issubclass(found, BaseModel):
            if isinstance(part, str) and part in _fields(found):
                yield _fields(found)[part].annotation
        else:
            yield from typing.get_args(found)[-1:] if isinstance(part, str) else typing.get_args(found)[:1]


def _plain_types(kind: object) -> Iterator[object]:
    """A type without Annotated, each member of a union alone."""
    origin = typing.get_origin(kind)
    if origin is typing.Annotated:
        yield from _plain_types(typing.get_args(kind)[0])
    elif origin is typing.Union or origin is UnionType:
        for member in typing.get_args(kind):
            yield from _plain_types(member)
    else:
        yield kind
