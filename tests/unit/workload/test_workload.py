"""The reference workload as a real process on loopback: health, identity, draining, slow clients, refusals."""

from __future__ import annotations

import http.client
import signal
import socket
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from hostmuster.lab.workload.program import digest
from tests.unit.workload.process import Workload, environment, running, start_with
from tests.waiting import await_that


@pytest.mark.parametrize("start", [("-I", "workload"), ("-m", "workload")])
def test_it_runs_from_a_plain_folder_with_only_its_settings_in_the_environment(
    opt: Path, start: tuple[str, ...]
) -> None:
    with running(opt, *start) as one:
        status, told, _ = one.ask("/internal/identity")
        program = digest({file.name: file.read_bytes() for file in (opt / "workload").glob("*.py")})
        assert (status, told) == (200, {"host": "server-1", "worker_id": "server-1-main", "program": program})
        assert one.stop()[0] == 0


def test_public_health_says_no_more_than_that_it_is_well(workload: Workload) -> None:
    for path in ("/health/live", "/health/ready"):
        status, told, headers = workload.ask(path)
        assert (status, told) == (200, {"status": "ok"})
        assert headers["Server"] is None
        assert workload.ask(path, "HEAD")[:2] == (200, {})


def test_what_it_does_not_know_is_refused_without_detail(workload: Workload) -> None:
    assert workload.ask("/admin/")[:2] == (404, {"error": "not found"})
    assert workload.ask("/health/live/../../etc")[0] == 404
    status, told, headers = workload.ask("/health/live", "DELETE")
    assert (status, told) == (501, {"error": "not implemented"})
    assert headers["Server"] is None
    assert workload.ask("/work?seconds=nan")[0] == 400


def test_a_request_in_work_is_finished_before_it_ends(workload: Workload) -> None:
    answers: list[int] = []
    request = threading.Thread(target=lambda: answers.append(workload.ask("/work?seconds=3")[0]))
    request.start()
    await_that(lambda: bool(workload.ask("/internal/runs")[1]["runs"]), 20, "the request is in work")
    workload.process.send_signal(signal.SIGTERM)
    await_that(lambda: workload.ask("/health/ready")[0] != 200, 20, "it drains")
    # While it drains it lives, is not ready, and takes nothing new.
    assert workload.ask("/health/live")[0] == 200
    assert workload.ask("/health/ready")[:2] == (503, {"status": "not ready"})
    assert workload.ask("/work")[0] == 503
    code, out = workload.stop()
    request.join()
    assert answers == [200]
    assert code == 0
    assert "stopped: 1 drained, 0 cut off" in out


def test_a_request_longer_than_the_budget_is_cut_off_and_not_called_graceful(opt: Path) -> None:
    with running(opt, WORKLOAD_DRAIN_S="1") as one:

        def ask() -> None:
            with suppress(http.client.HTTPException, OSError):
                one.ask("/work?seconds=15")

        request = threading.Thread(target=ask)
        request.start()
        await_that(lambda: bool(one.ask("/internal/runs")[1]["runs"]), 20, "the request is in work")
        started = time.monotonic()
        code, out = one.stop()
        request.join()
        assert time.monotonic() - started < 10
        assert code == 1
        assert "stopped: 0 drained, 1 cut off" in out


def test_clients_that_send_nothing_or_little_by_little_do_not_hold_it_up(workload: Workload) -> None:
    idle = [socket.create_connection(("127.0.0.1", workload.port)) for _ in range(50)]
    for connection in idle:
        connection.sendall(b"GET /health/live HTTP/1.1\r\n")
    assert workload.ask("/health/ready")[0] == 200
    code, _ = workload.stop()
    assert code == 0
    for connection in idle:
        connection.close()


def test_a_client_that_trickles_a_request_is_dropped_at_the_deadline(workload: Workload) -> None:
    with socket.create_connection(("127.0.0.1", workload.port)) as client:
        client.settimeout(0.5)
        started = time.monotonic()
        said = b"nothing yet"
        while said and time.monotonic() - started < 20:
            with suppress(BrokenPipeError, ConnectionResetError):
                client.send(b"G")
            try:
                said = client.recv(100)
            except TimeoutError:
                continue
            except ConnectionResetError:
                said = b""
    assert said == b""
    assert 8 < time.monotonic() - started < 15


def test_one_connection_too_many_is_closed_and_the_others_are_served(workload: Workload) -> None:
    first = http.client.HTTPConnection("127.0.0.1", workload.port, timeout=5)
    first.request("GET", "/health/live")
    first.getresponse().read()
    others = [socket.create_connection(("127.0.0.1", workload.port)) for _ in range(260)]
    others[-1].settimeout(5)
    with suppress(ConnectionResetError):
        assert others[-1].recv(10) == b""
    first.request("GET", "/health/live")
    assert first.getresponse().status == 200
    for connection in others:
        connection.close()
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        with suppress(http.client.HTTPException, OSError):
            if workload.ask("/health/live")[0] == 200:
                return
    pytest.fail("the places of closed connections were not given back")


def test_it_refuses_to_start_without_its_settings_and_names_them_all(opt: Path) -> None:
    code, told = start_with(opt, {})
    assert code == 78
    assert [line.split(" is ")[0] for line in told.splitlines()] == [
        "WORKLOAD_BIND",
        "WORKLOAD_PORT",
        "WORKLOAD_HOST",
        "WORKLOAD_WORKER_ID",
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("WORKLOAD_BIND", "localhost"),
        ("WORKLOAD_BIND", "::1"),
        ("WORKLOAD_PORT", "0"),
        ("WORKLOAD_PORT", "65536"),
        ("WORKLOAD_PORT", "80 80"),
        ("WORKLOAD_PORT", "٨٠٨٠"),
        ("WORKLOAD_HOST", "server_1"),
        ("WORKLOAD_WORKER_ID", "a" * 64),
        ("WORKLOAD_WORKER_ID", "two\nlines"),
        ("WORKLOAD_DRAIN_S", "-1"),
    ],
)
def test_a_setting_that_is_wrong_is_named_without_its_value(opt: Path, name: str, value: str) -> None:
    code, told = start_with(opt, environment(8080, **{name: value}))
    assert code == 78
    assert told.startswith(f"{name} is not valid: ")
    assert len(told.splitlines()) == 1
    assert value not in told.removeprefix(name)


def test_an_address_in_use_is_named(opt: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, told = start_with(opt, environment(port))
    assert code == 1
    assert told == f"cannot listen on 127.0.0.1:{port}: Address already in use\n"
