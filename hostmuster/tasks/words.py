"""The words of a command line: what invoke's parser gets of them, and what it refuses in the operator's own words."""

from __future__ import annotations

import re
import sys
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from invoke.exceptions import Exit, ParseError
from invoke.parser import ParserContext

from hostmuster.errors import Refused

# Arguments that may be left out, by task. invoke's own positional arguments may not.
OPTIONAL_ARGUMENTS = {"bootstrap": "host"}
# Options whose value is a list.
LISTS = ("--limit", "--exclude")


@contextmanager
def refusing() -> Iterator[None]:
    """Turn what invoke's parser raises into a refusal; a value of the wrong kind reaches us as ValueError."""
    try:
        yield
    except ParseError as error:
        raise Refused(readable(str(error)), remedy=usage(error.context)) from error
    except ValueError as error:
        raise Refused(f"an option has a value of the wrong kind: {error}", remedy=usage(None)) from error
    except Exit as end:
        if not end.message:
            raise
        raise Refused(end.message, remedy=usage(None)) from end


def readable(message: str) -> str:
    """invoke's message with an option as the operator writes it, not as Python shows the object.

    A word too many after a task of the store may be the value itself, typed by mistake: it is not repeated.
    """
    if message.startswith("No idea what") and any(word.startswith("secrets.") for word in sys.argv):
        return "a word too many: a secret's value comes from standard input, never from the command line"
    if message in ("No idea what '--dry' is!", "No idea what '-R' is!"):
        return f"{message} `hostmuster check` shows what apply would do"
    return re.sub(r"<Argument: ([\w-]+)[^>]*>", lambda found: "--" + found[1].replace("_", "-"), message)


def usage(context: ParserContext | None) -> str:
    """What to type instead."""
    if context is None or context.name is None:
        return "usage: hostmuster TASK [OPTIONS] (--list shows the tasks, --help TASK one of them)"
    arguments = [argument.name.upper() for argument in context.positional_args if argument.name]
    options = sorted(name for name in context.flags if name.startswith("--"))
    positional = {"--" + str(argument.name) for argument in context.positional_args}
    offered = " ".join(f"[{option}]" for option in options if option not in positional)
    return " ".join(["usage: hostmuster", context.name, *arguments, offered])


def refuse_before_a_task(tokens: Sequence[str], contexts: Mapping[str, ParserContext]) -> None:
    """Raises Refused for a task's option that stands before it, where invoke takes its own alone."""
    option = tokens[0].partition("=")[0] if tokens else ""
    if any(option in context.flags for context in contexts.values()):
        raise Refused(f"{option} stands before the task", remedy=f"options follow it: hostmuster TASK {option}")


def with_named_arguments(tokens: Sequence[str], contexts: Mapping[str, ParserContext]) -> Iterator[str]:
    """The tokens, an optional argument written as an option: `bootstrap HOST` as `bootstrap --host HOST`.

    Raises Refused for an option with two values: invoke takes the second for a word of its own.
    """
    context: ParserContext | None = None
    free: str | None = None
    given: dict[str, str] = {}
    waiting = deque(tokens)
    while waiting:
        token = waiting.popleft()
        option, is_joined, value = token.partition("=")
        argument = context.flags.get(option) if context else None
        if argument is not None and argument.takes_value:
            yield token
            if not is_joined and waiting:
                value = waiting.popleft()
                yield value
            if argument.kind is not list:
                _give(given, option, value)
        elif token in contexts and (context is None or not context.positional_args):
            context, free, given = contexts[token], OPTIONAL_ARGUMENTS.get(token), {}
            yield token
        elif free is not None and not token.startswith("-"):
            waiting.extendleft((token, f"--{free}"))
            free = None
        else:
            yield token


def _give(given: dict[str, str], option: str, value: str) -> None:
    if option in given:
        both = f"{option} {given[option]},{value}" if option in LISTS else "it takes one value"
        raise Refused(f"{option} is given twice", remedy=both)
    given[option] = value
