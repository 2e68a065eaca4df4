"""The fleets that come with the project have nothing that replicas would share, and say of none that it is several."""

from __future__ import annotations

import pytest

from deploys.checklist import CHECKLIST
from hostmuster.model.inventory import load_fleet
from hostmuster.project import Project
from hostmuster.secrets.preflight.environment import environments_of
from hostmuster.secrets.preflight.stored import Stored
from hostmuster.secrets.preflight.table import table
from tests.items.project import KEY, PUBLIC, REPOSITORY

SCHEMAS = {module.ITEM.name: module.ITEM.settings for module in CHECKLIST}
OPERATORS = {"operator/alice.pub": KEY, "operator/bob.pub": KEY.replace("IJ0V", "IJ1V")}


@pytest.mark.parametrize("name", ["lab", "example"])
def test_a_fleet_as_it_comes_misses_nothing_of_what_several_replicas_need(name: str) -> None:
    fleet = load_fleet(Project(REPOSITORY), name, SCHEMAS, public=PUBLIC | OPERATORS)
    services = environments_of(fleet)
    assert services
    assert [found.problem for found in table(services, Stored({})) if found.problem] == []
