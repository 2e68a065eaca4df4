"""The renderer does what a backend signed with the credential that both have, for as long as that is fresh (K7)."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.workload.process import Workload, environment, running, start_with

CREDENTIAL, ANOTHER = "f3Kq9vZr1LxT7uWm5BnS2cYd8GhJ4pQe", "Qe4pJh8Gd2YcS5nB7mWuT1xLr9vZ3fKq"


@pytest.fixture
def renderer(opt: Path) -> Iterator[Workload]:
    """One with the credential."""
    with running(opt, "-I", str(opt / "workload"), "renderer", RENDER_SERVICE_CREDENTIAL=CREDENTIAL) as one:
        yield one


def backend(renderer: Workload, credential: str) -> dict[str, str]:
    """The variables of one that calls it."""
    return {"RENDERER_URL": renderer.url, "RENDER_SERVICE_CREDENTIAL": credential}


def signed(at: float, credential: str = CREDENTIAL, body: str = "page", path: str = "/render") -> dict[str, str]:
    """A request's header, made as the protocol says and not by the code under test."""
    text = f"{int(at)}\nPOST\n{path}\n".encode() + hashlib.sha256(body.encode()).digest()
    signature = hmac.new(credential.encode(), text, "sha256").hexdigest()
    return {"Authorization": f"HMAC-SHA256 time={int(at)}, signature={signature}"}


def test_a_backend_with_the_same_credential_is_served_and_one_with_another_is_not(
    opt: Path, renderer: Workload, tmp_path: Path
) -> None:
    (tmp_path / "render").write_text(f"{CREDENTIAL}\n")
    by_file = {"RENDERER_URL": renderer.url, "RENDER_SERVICE_CREDENTIAL_FILE": str(tmp_path / "render")}
    for given in (backend(renderer, CREDENTIAL), by_file):
        with running(opt, **given) as one:
            rendered = hashlib.sha256(b"page").hexdigest()
            assert one.ask("/render", "POST", "page")[:2] == (200, {"rendered": rendered, "by": "server-1-main"})
    with running(opt, **backend(renderer, ANOTHER)) as other:
        assert other.ask("/render", "POST", "page")[:2] == (502, {"error": "the renderer refused", "status": 401})


def test_only_what_was_signed_and_not_long_ago_is_done(renderer: Workload) -> None:
    now = time.time()
    assert renderer.ask("/render", "POST", "page", signed(now))[0] == 200
    assert renderer.ask("/render", "POST", "page", signed(now - 3590))[0] == 200
    for header in (
        {},
        signed(now - 3610),
        signed(now + 120),
        signed(now, ANOTHER),
        signed(now, body="another page"),
        signed(now, path="/else"),
        {"Authorization": "Bearer x"},
    ):
        assert renderer.ask("/render", "POST", "page", header)[0] == 401


def test_a_renderer_that_is_gone_is_told(opt: Path, renderer: Workload) -> None:
    with running(opt, **backend(renderer, CREDENTIAL)) as one:
        renderer.stop()
        assert one.ask("/render", "POST", "page")[0] == 502


def test_neither_starts_without_a_credential(opt: Path) -> None:
    code, told = start_with(opt, environment(8080), "renderer")
    assert (code, told) == (78, "RENDER_SERVICE_CREDENTIAL is not set, nor RENDER_SERVICE_CREDENTIAL_FILE\n")
    code, told = start_with(opt, environment(8080, RENDERER_URL="http://127.0.0.1:9"))
    assert code == 78
    good = {"RENDER_SERVICE_CREDENTIAL": CREDENTIAL}
    for url in ("https://127.0.0.1:9", "http://renderer:9", "http://127.0.0.1", "127.0.0.1:9", "http://127.0.0.1:9/x"):
        assert start_with(opt, environment(8080, RENDERER_URL=url, **good))[0] == 78
