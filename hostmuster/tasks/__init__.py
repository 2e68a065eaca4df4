"""Every task by its name: `hostmuster TASK`, and `inv TASK` in the project's folder."""

from __future__ import annotations

from invoke import Collection

from hostmuster.tasks import fleet, lab, onboard, secrets

namespace = Collection(*fleet.TASKS, onboard.onboard, lab.COLLECTION, secrets.namespace)
