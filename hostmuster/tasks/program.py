"""The console script `hostmuster`: invoke's program, with the contract's exit codes."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from invoke import Program
from invoke.exceptions import ParseError
from invoke.parser import Parser, ParserContext

from hostmuster import __version__
from hostmuster.errors import HostmusterError, Refused, of_file
from hostmuster.tasks import namespace
from hostmuster.tasks.refusal import document

# Arguments that may be left out, by task. invoke's own positional arguments may not.
OPTIONAL_ARGUMENTS = {"bootstrap": "host"}
# They steer commands that invoke runs itself; hosts would be changed all the same.
FOREIGN_OPTIONS = ("dry", "hide", "prompt-for-sudo-password", "pty", "warn-only")


class CommandLine(Program):
    """Parses as invoke does; what cannot be parsed is refused (exit code 3) with the usage."""

    is_begun = False
    """Whether a task has begun: from then on it says itself how it ended."""

    def execute(self) -> None:
        """The tasks."""
        self.is_begun = True
        super().execute()

    def parse_core(self, argv: list[str] | None) -> None:
        """The options before the task."""
        with refusing():
            super().parse_core(argv)
        self._refuse_foreign()

    def parse_tasks(self) -> None:
        """The tasks and their options."""
        with refusing():
            super().parse_tasks()
        self._refuse_foreign()

    def _refuse_foreign(self) -> None:
        """invoke takes its own options after a task, too, and some would not do what they say."""
        for name in FOREIGN_OPTIONS:
            if self.args[name].value:
                remedy = "`hostmuster check` shows what apply would do"
                raise Refused(f"--{name} is no option of hostmuster", remedy=remedy)

    def _make_parser(self) -> Parser:
        # The one moment in which the tasks' arguments are known and nothing has been parsed by them.
        parser = super()._make_parser()
        self.core.unparsed = list(with_named_arguments(self.core.unparsed, parser.contexts))
        return parser

    def parse_cleanup(self) -> None:
        """--help, --list, and no task at all."""
        with refusing():
            super().parse_cleanup()


@contextmanager
def refusing() -> Iterator[None]:
    """Turn what invoke's parser raises into a refusal; a value of the wrong kind reaches us as ValueError."""
    try:
        yield
    except ParseError as error:
        raise Refused(readable(str(error)), remedy=usage(error.context)) from error
    except ValueError as error:
        raise Refused(f"an option has a value of the wrong kind: {error}", remedy=usage(None)) from error


def readable(message: str) -> str:
    """invoke's message with an option as the operator writes it, not as Python shows the object.

    A word too many after a task of the store may be the value itself, typed by mistake: it is not repeated.
    """
    if message.startswith("No idea what") and any(word.startswith("secrets.") for word in sys.argv):
        return "a word too many: a secret's value comes from standard input, never from the command line"
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


def with_named_arguments(tokens: Sequence[str], contexts: Mapping[str, ParserContext]) -> Iterator[str]:
    """The tokens, an optional argument written as an option: `bootstrap HOST` as `bootstrap --host HOST`."""
    context: ParserContext | None = None
    free: str | None = None
    is_value = False
    for token in tokens:
        if is_value or token.startswith("-"):
            flag = None if is_value or context is None else context.flags.get(token)
            is_value = flag is not None and flag.takes_value
        elif token in contexts and (context is None or not context.positional_args):
            context, free = contexts[token], OPTIONAL_ARGUMENTS.get(token)
        elif free is not None:
            yield f"--{free}"
            free = None
        yield token


def main(argv: list[str] | None = None) -> None:
    """Run the command line. Ends the process with an exit code of the contract (0 to 3)."""
    program = CommandLine(name="hostmuster", binary="hostmuster", version=__version__, namespace=namespace)
    try:
        code = ended(program, argv)
        # Here and not at Python's own end, which would tell a failure in its own words.
        flush()
    except BrokenPipeError:
        # Whoever read our output (head, less) has enough. What Python would still write at its end has nowhere to go.
        drop_output()
        code = 1
    except OSError as error:
        if isinstance(error.__context__, HostmusterError):
            print(error.__context__, file=sys.stderr)
        fault = None if error.filename else of_output(program.is_begun)
        print(fault or of_file(error), file=sys.stderr)
        code = 1
    sys.exit(code)


def ended(program: CommandLine, argv: list[str] | None) -> str | int | None:
    """Run the tasks; what ended them early is told. The exit code."""
    try:
        program.run(argv)
    except SystemExit as end:
        # invoke's answer to a Ctrl-C is an exit code without a word.
        if isinstance(end.__context__, KeyboardInterrupt):
            print("interrupted", file=sys.stderr)
        return end.code
    except HostmusterError as error:
        if "--json" in (argv or sys.argv) and not program.is_begun:
            print(document(error))
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


def of_output(is_begun: bool) -> HostmusterError | None:
    """Why standard output does not take what it was given; None where it takes an empty line."""
    try:
        print(flush=True)
    except OSError as error:
        drop_output()
        lost = "the command has ended; only what it had to say is lost" if is_begun else ""
        return HostmusterError(str(error.strerror), where="standard output", remedy=lost)
    return None


def flush() -> None:
    """Write what Python still holds back of our output. Raises OSError. Standard output may be closed (`>&-`)."""
    if sys.stdout is not None:
        sys.stdout.flush()


def drop_output() -> None:
    """Python writes at its end what it still holds back, and would fail once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
