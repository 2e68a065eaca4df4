"""One SSH connection to one host through pyinfra's connector, and programs run over it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar, cast

import gevent
from paramiko import Channel, SSHException
from pyinfra.api.config import Config
from pyinfra.api.exceptions import ConnectError
from pyinfra.api.host import Host as PyinfraHost
from pyinfra.api.state import State
from pyinfra.connectors.ssh import SSHConnector

from hostmuster.engine.access import CONNECT_S, Access
from hostmuster.engine.ssh_inventory import SSHInventory
from hostmuster.engine.unreached import unreached
from hostmuster.errors import HostFailed
from hostmuster.model.fleet import Host
from hostmuster.onhost import script
from hostmuster.onhost.answers import Answers, parse

LONGEST_S = 3600
"""No command runs longer: its connection is closed then, and the script ends what it left running."""

Told = TypeVar("Told")
Word = Callable[[bool], bool]
"""What is said at a Meet step: told whether the host got there, it says whether the host goes on."""
READY = b"= meet 0 5\nready\n"


def connections(hosts: Iterable[Host], access: Access) -> dict[str, Connection]:
    """A connection a host, none of them opened yet."""
    by_name = {host.name: host for host in hosts}
    inventory = SSHInventory({name: access.pyinfra_data(host) for name, host in by_name.items()})
    config = Config(CONNECT_TIMEOUT=CONNECT_S)  # type: ignore[no-untyped-call]
    state = State(inventory=inventory, config=config)
    return {name: Connection(host, state.inventory.get_host(name), access) for name, host in by_name.items()}


class Connection:
    """Opened by the first program. `execs` counts the commands run on the host."""

    def __init__(self, host: Host, connector: PyinfraHost, access: Access) -> None:
        self.host = host
        self.execs = 0
        self._pyinfra = connector
        self._access = access
        self._silence_s = host.fleet.silence_s

    def run(self, program: str) -> Answers:
        """Runs a program on the host as root.

        Raises HostFailed, naming the host, when it drops us, hangs, or refuses the program; Unreached when it could
        not even be asked.
        """
        with self._trouble_named():
            self._connect()
            return self._exec(program)

    def meet(self, program: str, words: Iterable[Word]) -> Answers:
        """Runs a program with as many Meet steps as words. Raises as `run`."""
        with self._trouble_named(), gevent.Timeout(LONGEST_S, TimeoutError(f"hangs: more than {LONGEST_S} s")):
            self._connect()
            mark, password, channel = self._begin()
            with channel:
                channel.sendall(script.stdin(mark, program, password).encode())
                before = b""
                for word in words:
                    before += _until(channel, READY)
                    if not word(before.endswith(READY)):
                        break
                    channel.sendall(b"go")
                channel.shutdown_write()
                output, errors = _drain(channel)
                status = channel.recv_exit_status()
        return parse(self.host.name, before.decode("utf-8", "surrogateescape") + output, status=status, errors=errors)

    def converse(self, body: str, line: str, hold: Callable[[Channel], Told]) -> Told:
        """Runs another script as root, with a line of input; `hold` goes on over its open channel. Raises as `run`."""
        with self._trouble_named():
            self._connect()
            mark, password, channel = self._begin()
            with channel:
                channel.sendall(f"{script.opening(mark, body, password)}{line}\n".encode())
                return hold(channel)

    @contextmanager
    def _trouble_named(self) -> Iterator[None]:
        try:
            yield
        except ConnectError as error:
            self.close()
            raise unreached(self.host, error) from None
        except TimeoutError as error:
            self.close()
            raise unreached(self.host, str(error) or f"hangs: no sign of life for {self._silence_s} s") from None
        except (SSHException, OSError, EOFError) as error:
            self.close()
            what = f"the connection broke ({str(error) or type(error).__name__})"
            remedy = "see that it is up; what was open there is settled by the next apply"
            raise HostFailed(what, where=self.host.name, remedy=remedy) from None

    def close(self) -> None:
        """Ends the transport too, which pyinfra's disconnect leaves open."""
        client = getattr(self._pyinfra.connector, "client", None)
        if client is not None:
            client.close()
        self._pyinfra.connected = False

    def forget_transfers(self) -> None:
        """For who lends us a connection of pyinfra's: its file transfers begin anew, over what is open now."""
        self._pyinfra.connector.disconnect()

    def _connect(self) -> None:
        if not self._pyinfra.connected:
            # paramiko bounds each part of it (TCP, banner, key exchange, login); this bounds them all.
            with gevent.Timeout(3 * CONNECT_S, TimeoutError(f"hangs: no login within {3 * CONNECT_S} s")):
                self._pyinfra.connect(show_errors=False, raise_exceptions=True)

    def _exec(self, program: str) -> Answers:
        with gevent.Timeout(LONGEST_S, TimeoutError(f"hangs: one command took more than {LONGEST_S} s")):
            mark, password, channel = self._begin()
            broken = _send(channel, script.stdin(mark, program, password).encode())
            output, errors = _drain(channel)
            with gevent.Timeout(self._silence_s, TimeoutError):
                status = channel.recv_exit_status()
        if broken and not output and not errors:
            raise EOFError("it closed before it had read the program")
        return parse(self.host.name, output, status=status, errors=errors)

    def _begin(self) -> tuple[str, str | None, Channel]:
        """The command that takes a script; the marker and the password line that its input begins with."""
        password = self._access.sudo_password
        sudo = self._access.user_on(self.host) != "root"
        mark = script.marker()
        channel = self._channel()
        channel.settimeout(self._silence_s)
        self.execs += 1
        # It has no bound of paramiko's own; nor has the exit status.
        with gevent.Timeout(self._silence_s, TimeoutError):
            channel.exec_command(script.command(mark, sudo=sudo, password=password is not None))
        return mark, password if sudo else None, channel

    def _channel(self) -> Channel:
        client = cast("SSHConnector", self._pyinfra.connector).client
        transport = client.get_transport() if client else None
        if transport is None:
            raise EOFError("closed")
        return transport.open_session(timeout=CONNECT_S)


def _send(channel: Channel, given: bytes) -> bool:
    """Sends the input. Whether the other side closed before it had read it all: it says why, then."""
    try:
        channel.sendall(given)
    except TimeoutError:
        raise
    except OSError:
        return True
    channel.shutdown_write()
    return False


def _until(channel: Channel, end: bytes) -> bytes:
    """What comes until these words, or the channel's end."""
    output = b""
    while not output.endswith(end) and (chunk := channel.recv(65536)):
        output += chunk
    return output


def _drain(channel: Channel) -> tuple[str, str]:
    """Output and errors to their end. Errors stay few (the script sends its own with the answers)."""
    output = bytearray()
    while chunk := channel.recv(65536):
        output += chunk
    errors = bytearray()
    while channel.recv_stderr_ready() and (chunk := channel.recv_stderr(65536)):
        errors += chunk
    return output.decode("utf-8", "surrogateescape"), errors.decode("utf-8", "replace")
