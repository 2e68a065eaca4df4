"""A git repository with a store in it, whose hook is `secrets.guard`."""

from __future__ import annotations

import sys

import pytest

from hostmuster.secrets import ring_text
from hostmuster.secrets.ring import Ring
from hostmuster.secrets.store import Store
from hostmuster.secrets.value import Secret

from ..conftest import Operator
from ..keys import ring_key
from .repository import PASSWORD, git


@pytest.fixture
def repository(operator: Operator, store: Store) -> Operator:
    """The project is a folder of a work tree whose hook is the one that the manual gives."""
    store = store.set("db-password", Secret(PASSWORD))
    store.set("token-key", ring_text.written(Ring(ring_key("key-1"))), "rsa-signing-ring")
    top = operator.project.parent
    git(operator, "init", "--quiet", str(top))
    hook = top / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nexec {sys.executable} -m hostmuster.tasks.program secrets.guard --project project\n")
    hook.chmod(0o755)
    (top / ".gitignore").write_text("home/\n")
    return operator
