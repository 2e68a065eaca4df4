"""Our files are the sops tool's files: it reads and edits ours, we read and edit its, a third reader agrees."""

from __future__ import annotations

import fcntl
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hostmuster.secrets.recipients import Identities, unwrap
from hostmuster.secrets.sops import SopsFile
from hostmuster.secrets.store import Store
from hostmuster.secrets.value import Secret

from .conftest import Operator

HERE = Path(__file__).parent
PUBLISHED = {
    "types": {
        ("secret",): ["this is a secret"],
        ("string",): ["string"],
        ("int",): ["7"],
        ("float",): ["3.14"],
        ("boolean",): ["True"],
        ("complex", "value"): ["this is a secret"],
        ("complex", "array"): ["one", "two", "three"],
    },
    "ssh": {("test_key",): ["test_value"]},
    "lists": {
        ("test_key",): ["test_value"],
        ("a_list",): ["e1", "e3"],
        ("nested", "test", "file"): ["another value"],
    },
}
TRICKY = {
    "multi-line": "first line\nsecond: line\n\n  # not a comment\n",
    "quotes": "\"double\" 'single' `back` \\slash",
    "looks-like-yaml": "no: {a: 1}",
    "number-like": "0644",
    "unicode": "pässwörd ✓ 日本",
    "long": "x" * 5000,
    "enc-like": "ENC[AES256_GCM,data:x,iv:x,tag:x,type:str]",
}


@pytest.mark.parametrize("example", PUBLISHED)
def test_published_examples_open_and_their_mac_holds(example: str, tmp_path: Path) -> None:
    folder = HERE / "published"
    file = SopsFile.parse((folder / f"{example}.enc.yaml").read_text(), example)
    key_file = next(folder.glob(f"{example}.key*"))
    identities = Identities.of_operator({"SOPS_AGE_KEY_FILE": str(key_file)}, tmp_path)
    unsealed = file.unseal(unwrap(file.section.wrapped, identities, example))
    found = {path: [plain.value.text() for plain in plains] for path, plains in unsealed.values.items()}
    assert found == PUBLISHED[example]
    assert unsealed.mac_holds


@pytest.fixture
def tricky(store: Store) -> Store:
    for name, value in TRICKY.items():
        store = store.set(name, Secret(value))
    return store


def test_the_sops_tool_reads_what_we_wrote(operator: Operator, tricky: Store) -> None:
    answer = operator.sops("decrypt", "--output-type", "json", str(tricky.path))
    assert answer.returncode == 0, answer.stderr
    seen = {name: one["value"] for name, one in json.loads(answer.stdout)["secrets"].items()}
    assert seen == {name: tricky.value(name).text() for name in tricky.names()}


def test_we_read_what_the_sops_tool_changed_added_and_removed(operator: Operator, tricky: Store) -> None:
    path = str(tricky.path)
    for index, value in (("quotes", "new value"), ("made-by-sops", "another one")):
        done = operator.sops("set", path, f'["secrets"]["{index}"]', json.dumps({"value": value}))
        assert done.returncode == 0, done.stderr
    assert operator.sops("unset", path, '["secrets"]["long"]').returncode == 0
    now = Store.read(tricky.path)
    assert now.value("quotes").text() == "new value"
    assert now.value("made-by-sops").text() == "another one"
    assert "long" not in now.names()
    assert now.value("unicode").text() == TRICKY["unicode"]


def test_we_and_the_sops_tool_take_turns(operator: Operator, store: Store) -> None:
    for turn in range(3):
        store = store.set("turns", Secret(f"ours {turn}"))
        added = operator.sops("set", str(store.path), f'["secrets"]["turn-{turn}"]', '{"value": "theirs"}')
        assert added.returncode == 0, added.stderr
        store = Store.read(store.path)
    assert [store.value(f"turn-{turn}").text() for turn in range(3)] == ["theirs"] * 3
    assert operator.sops("decrypt", str(store.path)).returncode == 0


def test_a_comment_made_with_the_sops_tool_survives_our_write(operator: Operator, store: Store) -> None:
    plain = operator.sops("decrypt", str(store.path)).stdout
    commented = plain.replace("    db-password:", "    # rotated in spring\n    db-password:")
    store.path.write_text(commented)
    recipient = store.recipients[0]
    assert operator.sops("encrypt", "--age", recipient, "--in-place", str(store.path)).returncode == 0
    Store.read(store.path).set("db-password", Secret("a new value"))
    shown = operator.sops("decrypt", str(store.path))
    assert "# rotated in spring" in shown.stdout
    assert "a new value" in shown.stdout


def test_we_read_every_type_the_sops_tool_writes(operator: Operator, store: Store) -> None:
    plain = operator.project / "types.yaml"
    plain.write_text(
        "text: abc\nempty: ''\nnone: null\nwhole: -42\nyes: true\nno: false\nparts: [1.5, 2.0, 1e21, 0.1]\n"
        "clear_unencrypted: {number: 7, point: 2.50, big: 1e21, flag: true, text: 'no'}\n# a comment\nlast: z\n"
    )
    assert operator.sops("encrypt", "--age", store.recipients[0], "--in-place", str(plain)).returncode == 0
    file = SopsFile.parse(plain.read_text(), "types.yaml")
    unsealed = file.unseal(
        unwrap(file.section.wrapped, Identities.of_operator(operator.environ, operator.home), "types")
    )
    assert not unsealed.failed
    assert unsealed.mac_holds
    found = {path[0]: [plain.value.text() for plain in plains] for path, plains in unsealed.values.items()}
    assert found["whole"] == ["-42"]
    assert found["yes"] == ["True"]
    assert found["parts"] == ["1.5", "2", "1000000000000000000000", "0.1"]


@pytest.mark.parametrize(
    "rule",
    [
        {"encrypted_regex": "^(value|names)$"},
        {"unencrypted_regex": "_unencrypted$"},
        {"encrypted_suffix": "value"},
        {"unencrypted_suffix": "_unencrypted", "mac_only_encrypted": True},
    ],
    ids=" ".join,
)
def test_a_store_under_other_rules_of_sops_opens_and_is_written_under_them(
    operator: Operator, store: Store, rule: dict[str, object]
) -> None:
    rules = {"creation_rules": [{**rule, "age": store.recipients[0]}]}
    (operator.project / ".sops.yaml").write_text(json.dumps(rules))
    store.path.write_text(operator.sops("decrypt", str(store.path)).stdout)
    done = operator.sops("encrypt", "--in-place", str(store.path))
    assert done.returncode == 0, done.stderr
    assert all(key in store.path.read_text() for key in rule)
    now = Store.read(store.path).set("db-password", Secret("a new value"))
    assert now.value("api-token").text() == "battery staple"
    shown = operator.sops("decrypt", str(store.path))
    assert shown.returncode == 0, shown.stderr
    assert "a new value" in shown.stdout


@pytest.fixture(scope="session")
def independent_reader() -> Iterator[Path]:
    """sops-age from npm, installed once from its lock; parallel test processes wait for one another."""
    folder = HERE / "interop"
    with (folder / "package.json").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        stamp = folder / "node_modules" / ".package-lock.json"
        if not stamp.exists() or stamp.stat().st_mtime < (folder / "package-lock.json").stat().st_mtime:
            npm = Path(sys.executable).with_name("npm")
            subprocess.run([npm, "ci", "--ignore-scripts", "--silent"], cwd=folder, check=True)
            stamp.touch()
    yield folder / "decrypt.mjs"


def test_an_independent_reader_agrees(independent_reader: Path, operator: Operator, tricky: Store) -> None:
    key = next(line for line in operator.age_file.read_text().splitlines() if line.startswith("AGE-SECRET-KEY-"))
    node = Path(sys.executable).with_name("node")
    answer = subprocess.run(
        [node, independent_reader, tricky.path], input=key, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stderr
    seen = {name: one["value"] for name, one in json.loads(answer.stdout)["secrets"].items()}
    assert seen == {name: tricky.value(name).text() for name in tricky.names()}
