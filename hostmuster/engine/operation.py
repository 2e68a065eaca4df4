"""The checklist as operations of plain pyinfra: one an item, on one observation of each host.

An operation is a function of ours instead of a shell command: the on-host script answers in frames, with exit code
0 also where a change failed, and pyinfra prints a command's output, unredacted, at -vvv.
"""

from __future__ import annotations

import atexit
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock

from pydantic import SecretStr
from pyinfra import logger
from pyinfra.api import FunctionCommand, operation
from pyinfra.api.host import Host as PyinfraHost
from pyinfra.api.state import State
from pyinfra.context import ctx_host, host, state

from hostmuster.engine.access import Access
from hostmuster.engine.checklist import checklist
from hostmuster.engine.connection import Connection
from hostmuster.engine.hidden import hidden, hidden_from_errors
from hostmuster.engine.job import Job
from hostmuster.engine.memo import Memo
from hostmuster.engine.opening import Opening, open_fleet
from hostmuster.engine.record import Record
from hostmuster.engine.source import Source
from hostmuster.errors import HostmusterError, Refused
from hostmuster.item import ItemModule
from hostmuster.operator import ask_sudo_password, holder
from hostmuster.project import Project
from hostmuster.report.journal import Journal
from hostmuster.report.redaction import Redaction
from hostmuster.secrets.value import Secret

Operation = Generator[FunctionCommand, None, None]


@dataclass(frozen=True)
class Run:
    """What all hosts of one pyinfra process share."""

    opening: Opening
    items: Sequence[ItemModule]
    access: Access
    source: Source
    redaction: Redaction
    record: Record

    @classmethod
    def open(cls, root: Path, fleet: str) -> Run:
        """Compiles the fleet. Raises Refused and InputError."""
        opening = open_fleet(Job(command="apply", project=root, fleet=fleet, holder=holder()))
        secrets = hidden(opening.store)
        if opening.fleet.sudo == "password":
            password = ask_sudo_password(f"inventory/{fleet}.yml")
            secrets.append(Secret(password))
            job = opening.job.model_copy(update={"sudo_password": SecretStr(password)})
            opening = replace(opening, job=job)
        items, access, redaction = checklist(Project(root)), opening.access(), Redaction(secrets)
        ends = ExitStack()
        journal = ends.enter_context(Journal(opening.project.reports, opening.run, redaction))
        # Closed with the process, not before: as long as it is open, other runs know that this one lives.
        atexit.register(ends.close)
        return cls(opening, items, access, Source(root), redaction, _Log(redaction, journal))

    def memo(self, on: PyinfraHost) -> Memo:
        """For one host, nothing asked yet."""
        way = Connection(self.opening.fleet.hosts[on.name], on, self.access)
        return Memo(self.opening, way, self.record, self.source)


class _Log(Record):
    """The journal of the run. Warnings go where pyinfra's go, too; the rest pyinfra tells in its own words."""

    def _say(self, event: str, **fields: object) -> None:
        if self._journal is not None:
            self._journal.write(event, **fields)
        if event == "warning":
            logger.warning(self._redaction.apply(str(fields["text"])))


class _Once:
    """The run of this process: a deploy file is executed once a host, all of them at the same time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._runs: dict[tuple[Path, str], Run | HostmusterError] = {}

    def run(self, root: Path, fleet: str) -> Run:
        """Ends the process with the error's exit code, every mistake said once, where nothing can be run."""
        with self._lock:
            if (root, fleet) not in self._runs:
                self._runs[root, fleet] = _opened(root, fleet)
        run = self._runs[root, fleet]
        if isinstance(run, HostmusterError):
            raise SystemExit(run.exit_code)
        return run


def _opened(root: Path, fleet: str) -> Run | HostmusterError:
    try:
        if not fleet:
            remedy = "give a fleet's own inventory: pyinfra inventory/NAME.py deploys/site.py"
            raise Refused("these hosts are of no fleet", where="the inventory", remedy=remedy)
        return Run.open(root, fleet)
    except HostmusterError as error:
        print(Redaction(hidden_from_errors(Project(root), fleet)).apply(str(error)), file=sys.stderr)
        return error


_ONCE = _Once()


def site(file: str) -> None:
    """The whole checklist for the host at hand; `file` is the deploy file's own `__file__`, in its project's deploys/.

    A host that cannot be looked at is a failed host.
    """
    here: PyinfraHost = ctx_host.get()  # type: ignore[no-untyped-call]
    run = _ONCE.run(Path(file).absolute().parent.parent, here.data.get("fleet", ""))
    memo = run.memo(here)
    try:
        memo.look()
    except HostmusterError as error:
        _fail(here, run, memo, error)
        here.state.fail_hosts({here})  # type: ignore[no-untyped-call]
        return
    for text in memo.shown():
        here.log(run.redaction.apply(text))
    # The same full list on every host: pyinfra knows an operation by its place in the calls, and would else take two
    # items for one. So an item that is not for a host is an operation with nothing to do.
    for module in here.loop(run.items):  # type: ignore[no-untyped-call]
        text = (module.__doc__ or module.ITEM.name).partition("\n")[0]
        item(run=run, memo=memo, line=module.ITEM.name, name=text)
    restarts(run=run, memo=memo, name="Restarts owed", _serial=True)


@operation()
def item(run: Run, memo: Memo, line: str) -> Operation:
    """One line of the checklist on one host."""
    if memo.part(line) is None:
        host.noop(f"{line} is not for this host")
    elif memo.changes(line):
        yield _command(run, memo, lambda: memo.bring(line))


@operation()
def restarts(run: Run, memo: Memo) -> Operation:
    """What the changes owe to units, and what was owed before, one host after the other."""
    if memo.debts.owed if state.is_executing else memo.will_owe:
        yield _command(run, memo, memo.settle_debts)


def _command(run: Run, memo: Memo, act: Callable[[], None]) -> FunctionCommand:
    """pyinfra calls a function with these two parameters itself and takes False for a failed host."""

    def take(state: State, host: PyinfraHost) -> bool:
        try:
            act()
        except HostmusterError as error:
            _fail(host, run, memo, error)
            return False
        return True

    return FunctionCommand(take, (), {})


def _fail(on: PyinfraHost, run: Run, memo: Memo, error: HostmusterError) -> None:
    memo.fail(error)
    on.log_styled(run.redaction.apply(str(error)), log_func=logger.error, fg="red")
