"""A backend's calls to the renderer, signed with the credential they share (K7)."""

from __future__ import annotations

import http.client
import ipaddress
import json
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlsplit

from . import credential
from .credential import Credential
from .environment import Environment
from .route import Answer, Asked, Routes
from .settings import Misconfigured

URL = "RENDERER_URL"
PATH = "/render"
TIMEOUT_S = 5.0


@dataclass(frozen=True)
class Rendering:
    """Where the renderer is."""

    host: str
    port: int
    credential: Credential

    @classmethod
    def of(cls, environment: Environment) -> Rendering:
        """Raises Misconfigured."""
        wrong = Misconfigured([f"{URL} is not valid: http://ADDRESS:PORT of the renderer"])
        try:
            url = urlsplit(environment[URL])
            host, port = str(ipaddress.IPv4Address(url.hostname or "")), url.port
        except ValueError:
            raise wrong from None
        if url.scheme != "http" or not port or url.path not in ("", "/"):
            raise wrong
        return cls(host, port, credential.read(environment))

    @property
    def routes(self) -> Routes:
        """`/render`: what the renderer says, or 502 with its status."""
        return {PATH: self._answer}

    def _answer(self, asked: Asked) -> Answer:
        try:
            status, told = self._call(asked.body)
        except (OSError, http.client.HTTPException, ValueError) as error:
            return Answer(HTTPStatus.BAD_GATEWAY, {"error": "the renderer does not answer", "by": type(error).__name__})
        if status != HTTPStatus.OK:
            return Answer(HTTPStatus.BAD_GATEWAY, {"error": "the renderer refused", "status": status})
        return Answer(HTTPStatus.OK, told)

    def _call(self, body: bytes) -> tuple[int, Mapping[str, object]]:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=TIMEOUT_S)
        try:
            header = {"Authorization": self.credential.sign("POST", PATH, body)}
            connection.request("POST", PATH, body, header)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()
