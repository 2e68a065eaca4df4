"""A credential is swapped, a key of rows is migrated, an opaque value is replaced: in every state, as each must."""

from __future__ import annotations

import pytest

from hostmuster.errors import Refused
from hostmuster.secrets.rotation import migration, replacement
from hostmuster.secrets.rotation.migration import Migration, Pair
from hostmuster.secrets.rotation.replica import Replica
from hostmuster.secrets.rotation.transition import Edit, Restart, Start, Switch, Transition

from . import value_world
from .exploration import explored
from .value_world import How, World, ideal, moves, violation


@pytest.mark.parametrize("replicas", [2, 3])
@pytest.mark.parametrize("how", ["swap", "rolling", "migrate"])
def test_only_values_that_suit_serve_together(how: How, replicas: int) -> None:
    seen = explored(ideal(how, replicas), moves, violation)
    done = [world for world in seen if len(world.values) == 2 and all(one.running == 1 for one in world.machines)]
    assert done


def test_rows_end_migrated_or_put_back_with_every_replica_serving() -> None:
    seen = explored(ideal("migrate", 2), moves, violation)
    over = [
        world for world in seen if world.record and not world.upcoming and all(one.serves for one in world.machines)
    ]
    assert {(world.rows, world.values[-1]) for world in over} == {("a", "a"), ("b", "b")}


def rolling_swap(world: World, request: str, excluded: tuple[str, ...]) -> Transition | None:
    """One after another, as an opaque value is replaced."""
    newest = len(world.values) - 1
    for place, one in enumerate(world.machines):
        if one.disk != newest:
            return Switch((str(place),))
        if one.running != newest:
            return Restart(str(place))
    return REAL(world, request, excluded)  # type: ignore[arg-type]


def hasty(world: World, request: str, excluded: tuple[str, ...]) -> Transition | None:
    """It takes rows whose migration was cut short for migrated ones."""
    record = world.record
    if record and record.stage == "migrating":
        world = world.after(record=Migration(record.to, "proved"))
    return REAL(world, request, excluded)  # type: ignore[arg-type]


REAL = value_world.asked


@pytest.mark.parametrize(
    ("how", "planner", "said"),
    [("swap", rolling_swap, "two values serve"), ("migrate", hasty, "rows are encrypted with mixed")],
)
def test_a_wrong_planner_is_found_out(how: How, planner: object, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value_world, "asked", planner)
    with pytest.raises(AssertionError, match=said):
        explored(ideal(how, 2), moves, violation)


REPLICAS = [Replica("server-1", "a", "a"), Replica("server-2", "a", "a")]


def test_a_fernet_key_without_a_declared_migration_is_refused() -> None:
    with pytest.raises(Refused, match="a Fernet key cannot be swapped") as caught:
        migration.next_step("begin", Pair("a"), REPLICAS, None, declared=False)
    assert caught.value.exit_code == 3


def test_a_second_replacement_during_one_is_refused() -> None:
    with pytest.raises(Refused, match="a migration is open"):
        migration.next_step("begin", Pair("a", "b"), REPLICAS, None, declared=True)
    with pytest.raises(Refused, match="not every replica uses the store's key"):
        migration.next_step("begin", Pair("b"), REPLICAS, Migration("b", "proved"), declared=True)
    for how in ("swap", "rolling"):
        with pytest.raises(Refused, match="a replacement is open"):
            replacement.next_step("begin", how, "b", REPLICAS)


def test_a_service_that_is_down_by_itself_is_no_open_replacement_and_a_halted_one_is() -> None:
    down = [REPLICAS[0], Replica("server-2", "a", None)]
    assert replacement.next_step("begin", "swap", "a", down) == Edit("replace")
    assert migration.next_step("begin", Pair("a"), down, None, declared=True) == Edit("prepare")
    halted = [REPLICAS[0], Replica("server-2", "a", None, held=True)]
    with pytest.raises(Refused, match="a replacement is open"):
        replacement.next_step("begin", "swap", "a", halted)
    with pytest.raises(Refused, match="not every replica uses the store's key"):
        migration.next_step("begin", Pair("a"), halted, None, declared=True)
    assert replacement.next_step("go on", "swap", "a", halted) == Start(("server-2",))


def test_a_replica_that_does_not_answer_blocks_a_replacement() -> None:
    away = [REPLICAS[0], Replica("server-2", "a", "a", reachable=False)]
    for how in ("swap", "rolling"):
        with pytest.raises(Refused, match="server-2: cannot be reached"):
            replacement.next_step("begin", how, "a", away)
    with pytest.raises(Refused, match="server-2: cannot be reached"):
        migration.next_step("begin", Pair("a"), away, None, declared=True)


def test_an_older_store_does_not_bring_back_a_key_that_opens_no_row() -> None:
    for record in (None, Migration("b", "migrated"), Migration("b", "put back")):
        with pytest.raises(Refused, match="server-1, server-2: another Fernet key than the store's"):
            migration.next_step("go on", Pair("older"), REPLICAS, record, declared=True)


@pytest.mark.parametrize("stage", ["migrating", "migrated", "proved", "failed"])
def test_a_store_without_the_key_that_rows_may_have_starts_nobody(stage: migration.Stage) -> None:
    held = [Replica("server-1", "a", None, held=True)]
    with pytest.raises(Refused, match="a migration is open to a key that this store has not"):
        migration.next_step("go on", Pair("a"), held, Migration("b", stage), declared=True)
    assert migration.next_step("go on", Pair("a"), held, Migration("b", "dumped"), declared=True) == Start(
        ("server-1",)
    )
