"""Keys and credentials, as readers give them to each replica."""

from __future__ import annotations

from dataclasses import replace

from hostmuster.secrets.kinds.opaque import generate
from hostmuster.secrets.preflight.stored import Stored
from hostmuster.secrets.preflight.table import table
from hostmuster.secrets.store import Store

from ..conftest import Operator
from .replicas import GOOD, KINDS, WHOLE, missing, of


def test_a_replica_that_is_given_no_key_or_another_one_is_named() -> None:
    replicas = of(GOOD, GOOD)["service"]
    unread = {"service": [replicas[0], replace(replicas[1], secrets=frozenset({"ai-key", "renderer"}))]}
    assert missing(table(unread, WHOLE)) == ["signing key: server-2: no reader gives it token-key"]
    other = {"service": [replicas[0], replace(replicas[1], secrets=frozenset({"old-key", "ai-key", "renderer"}))]}
    assert missing(table(other, Stored(KINDS | {"old-key": "rsa-signing-ring"}))) == [
        "signing key: server-2: given old-key, unlike server-1"
    ]


def test_a_key_given_inline_beside_a_file_shadows_it() -> None:
    both = GOOD | {"RUNTIME_RSA_PRIVATE_KEY_FILE": "/run/credentials/service/key"}
    found = missing(table(of(both, both, given={"RUNTIME_RSA_PRIVATE_KEY": "token-key#private_key"}), WHOLE))
    assert "it shadows RUNTIME_RSA_PRIVATE_KEY_FILE" in found[0]


def test_a_weak_value_that_the_sops_tool_let_in_is_named(operator: Operator, store: Store) -> None:
    store = store.set("renderer", generate("renderer"), "shared-credential")
    index = '["secrets"]["renderer"]["value"]'
    assert operator.sops("set", str(store.path), index, '"changeme"').returncode == 0
    (problem,) = Stored.of(Store.read(store.path)).problems
    assert (problem.where, problem.what) == ("renderer", "a placeholder or default of a sample file")
