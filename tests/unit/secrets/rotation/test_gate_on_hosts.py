"""The start gate's program on hosts says the same as the rule: in every small case, and word for word."""

from __future__ import annotations

import subprocess
from importlib.resources import files
from itertools import product
from pathlib import Path

import hostmuster.secrets
from hostmuster.secrets.rotation import gate

NUMBERS = (None, 1, 2, 3, 9, 10)
PROGRAM = str(files(hostmuster.secrets).joinpath("start_gate.sh"))


def told(*lines: str) -> list[str]:
    """What the program says to each of these questions, with its exit code; one shell that sources it asks them all."""
    body = Path(PROGRAM).read_text().removesuffix('"$@"\n')
    asked = "".join(f"said=$({line}); echo $? $said\n" for line in lines)
    done = subprocess.run(["sh"], input=body + asked, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout.splitlines()


def word(number: int | None) -> str:
    return "-" if number is None else str(number)


def test_the_program_and_the_rule_are_one() -> None:
    cases = [
        (own, dict(zip("abc", heard, strict=False)))
        for own in NUMBERS
        for peers in range(4)
        for heard in product(NUMBERS, repeat=peers)
    ]
    lines = [f"obstacle {word(own)} " + " ".join(f"{n}={word(h)}" for n, h in peers.items()) for own, peers in cases]
    rule = [gate.obstacle(own, peers) for own, peers in cases]
    assert told(*lines) == ["0" if why is None else f"1 {why}" for why in rule]
    assert len(cases) == 6 * (1 + 6 + 36 + 216)


def test_who_was_left_behind_while_it_served_is_told_alike() -> None:
    pairs = [*product(NUMBERS, repeat=2)]
    said = told(*(f"behind {word(own)} {word(heard)}" for own, heard in pairs))
    assert [line.strip() == "0" for line in said] == [gate.is_left_behind(own, heard) for own, heard in pairs]


def watched(folder: Path, meanwhile: str) -> list[str]:
    """What a host with generation 3 that serves does when its peer tells 5, and `meanwhile` befell the host."""
    (folder / "peers").write_text("service svc\npeer b\nunit a.service\n")
    (folder / "identity").write_text("3 of-some-store\n")
    (folder / "open").touch()
    set_up = f"PEERS={folder}/peers IDENTITY={folder}/identity STATE={folder}\n"
    return told(f'{set_up} ask() {{ {meanwhile}; echo 5; }}; systemctl() {{ echo "$*"; }}; watch')


def test_a_host_that_was_left_behind_stops_what_serves(tmp_path: Path) -> None:
    (said,) = watched(tmp_path, "true")
    assert said.endswith("it has to catch up first is-active -q -- a.service stop -- a.service")
    assert not (tmp_path / "open").exists()


def test_one_that_was_switched_while_it_asked_goes_on(tmp_path: Path) -> None:
    assert watched(tmp_path, f"echo 5 of-another-store >{tmp_path}/identity") == ["0"]
    assert (tmp_path / "open").exists()


def test_neighbours_are_never_left_behind() -> None:
    assert not any(gate.is_left_behind(own, own + step) for own in range(1, 9) for step in (-1, 0, 1))
    assert gate.is_left_behind(1, 3)
