"""The renderer, a small service beside the backends: it does what is signed with the credential they share (K7)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from http import HTTPStatus

from . import credential
from .credential import Credential
from .environment import Environment
from .part import Part
from .route import Answer, Asked
from .settings import Settings


@dataclass(frozen=True)
class Renderer:
    """`name`: the replica's, in its answers."""

    name: str
    credential: Credential

    def render(self, asked: Asked) -> Answer:
        """401 for what was not signed with the credential; what stands for a picture otherwise."""
        if not self.credential.accepts(asked.authorization, asked.method, asked.path, asked.body):
            return Answer(HTTPStatus.UNAUTHORIZED, {"error": "not signed with this credential"})
        return Answer(HTTPStatus.OK, {"rendered": hashlib.sha256(asked.body).hexdigest(), "by": self.name})


def configured(environment: Environment, settings: Settings) -> Part:
    """What it answers beside health and identity. Raises Misconfigured: without a credential it does not start."""
    return Part({"/render": Renderer(settings.worker_id, credential.read(environment)).render})
