"""One SSH connection to one host through pyinfra's connector, and programs run over it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from paramiko import Channel, SSHException
from pyinfra.api.config import Config
from pyinfra.api.exceptions import ConnectError
from pyinfra.api.host import Host as PyinfraHost
from pyinfra.api.inventory import Inventory
from pyinfra.api.state import State
from pyinfra.connectors.ssh import SSHConnector

from hostmuster.engine.access import CONNECT_S, Access
from hostmuster.errors import HostFailed
from hostmuster.model.fleet import Host
from hostmuster.onhost import script
from hostmuster.onhost.answers import Answers, parse

SILENCE_S = 30
"""A host that says nothing for so long hangs: while a command runs, the script sends a dot a second."""

_REMEDIES = {
    "Authentication error": "it refuses our key: bootstrap the host, or add the automation key there",
    "SSH host key error": "its host key is not the pinned one: if it was rebuilt, `hostmuster onboard HOST --replace`",
    "No host key": "pin its host key first: `hostmuster onboard HOST` shows it",
    "StrictPolicy": "pin its host key first: `hostmuster onboard HOST` shows it",
}


def connections(hosts: Iterable[Host], access: Access) -> dict[str, Connection]:
    """A connection a host, none of them opened yet."""
    by_name = {host.name: host for host in hosts}
    data = [(name, dict(access.pyinfra_data(host))) for name, host in by_name.items()]
    config = Config(CONNECT_TIMEOUT=CONNECT_S)  # type: ignore[no-untyped-call]
    state = State(inventory=Inventory((data, {})), config=config)  # type: ignore[no-untyped-call]
    return {name: Connection(host, state.inventory.get_host(name), access) for name, host in by_name.items()}


class Connection:
    """Opened by the first program. `execs` counts the commands run on the host."""

    def __init__(self, host: Host, connector: PyinfraHost, access: Access) -> None:
        self.host = host
        self.execs = 0
        self._pyinfra = connector
        self._access = access

    def run(self, program: str) -> Answers:
        """Runs a program on the host as root.

        Raises HostFailed, naming the host, when it cannot be reached, hangs, drops us, or refuses the program.
        """
        try:
            self._connect()
            return self._exec(program)
        except ConnectError as error:
            raise self._failed(str(error.args[0])) from None
        except TimeoutError:
            self.close()
            raise self._failed(f"hangs: no sign of life for {SILENCE_S} s") from None
        except (SSHException, OSError, EOFError) as error:
            self.close()
            raise self._failed(f"the connection broke ({str(error) or type(error).__name__})") from None

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
            self._pyinfra.connect(show_errors=False, raise_exceptions=True)

    def _exec(self, program: str) -> Answers:
        mark = script.marker()
        command = script.command(mark, sudo=self._access.user_on(self.host) != "root")
        client = cast("SSHConnector", self._pyinfra.connector).client
        transport = client.get_transport() if client else None
        if transport is None:
            raise EOFError("closed")
        channel = transport.open_session(timeout=CONNECT_S)
        channel.settimeout(SILENCE_S)
        self.execs += 1
        channel.exec_command(command)
        channel.sendall(script.stdin(mark, program, self._access.sudo_password).encode())
        channel.shutdown_write()
        output, errors = _drain(channel)
        return parse(self.host.name, output, status=channel.recv_exit_status(), errors=errors)

    def _failed(self, what: str) -> HostFailed:
        remedy = next((text for start, text in _REMEDIES.items() if start in what), "")
        return HostFailed(what, where=self.host.name, remedy=remedy or "see that it is up and answers SSH")


def _drain(channel: Channel) -> tuple[str, str]:
    """Output and errors to their end. Errors stay few (the script sends its own with the answers)."""
    output = bytearray()
    while chunk := channel.recv(65536):
        output += chunk
    errors = bytearray()
    while channel.recv_stderr_ready() and (chunk := channel.recv_stderr(65536)):
        errors += chunk
    return output.decode("utf-8", "surrogateescape"), errors.decode("utf-8", "replace")
