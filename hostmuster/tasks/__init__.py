"""Every task by its name: `hostmuster TASK`, and `inv TASK` in the project's folder."""

from __future__ import annotations

from invoke import Collection

from hostmuster.tasks import drill, fleet, lab, offboard, onboard, report, secrets

secrets.namespace.add_task(offboard.exposed)
namespace = Collection(
    *fleet.TASKS, onboard.onboard, offboard.offboard, report.report, drill.namespace, lab.COLLECTION, secrets.namespace
)
