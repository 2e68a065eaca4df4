"""The console script `hostmuster`: invoke's program, with the contract's exit codes."""

from __future__ import annotations

import os
import sys

from invoke import Program
from invoke.parser import Parser, ParserContext

from hostmuster import __version__
from hostmuster.__main__ import interrupted
from hostmuster.errors import HostmusterError, Refused, of_file
from hostmuster.tasks import namespace
from hostmuster.tasks.refusal import document
from hostmuster.tasks.words import refuse_before_a_task, refusing, with_named_arguments

# invoke's options that steer what it runs itself, which is nothing here: hosts would be changed all the same.
FOREIGN_OPTIONS = (
    "command-timeout", "config", "debug", "dry", "echo", "hide", "prompt-for-sudo-password", "pty",
    "warn-only", "write-pyc",
)  # fmt: skip
LIST_FORMATS = ("flat", "nested", "json")


class CommandLine(Program):
    """Parses as invoke does; what cannot be parsed is refused (exit code 3) with the usage."""

    is_begun = False
    """Whether a task has begun: from then on it says itself how it ended."""

    def execute(self) -> None:
        """The tasks."""
        self.is_begun = True
        super().execute()

    @property
    def initial_context(self) -> ParserContext:
        """The options before the task; those that are not offered have the values that invoke asks for."""
        context = super().initial_context
        for name in FOREIGN_OPTIONS:
            context.flags.pop(f"--{name}")  # and with it its short form, which is an alias
        return context

    def parse_core(self, argv: list[str] | None) -> None:
        """The options before the task."""
        with refusing():
            super().parse_core(argv)

    def parse_tasks(self) -> None:
        """The tasks and their options."""
        with refusing():
            super().parse_tasks()

    def _make_parser(self) -> Parser:
        # The one moment in which the tasks' arguments are known and nothing has been parsed by them.
        parser = super()._make_parser()
        refuse_before_a_task(self.core.unparsed, parser.contexts)
        self.core.unparsed = list(with_named_arguments(self.core.unparsed, parser.contexts))
        return parser

    def parse_cleanup(self) -> None:
        """--help, --list, and no task at all."""
        if (wanted := self.args["list-format"].value) not in LIST_FORMATS:
            raise Refused(f"{wanted!r} is none of {', '.join(LIST_FORMATS)}", where="--list-format")
        with refusing():
            super().parse_cleanup()


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
            interrupted()
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
