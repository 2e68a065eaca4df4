"""The checklist in plain pyinfra: `pyinfra inventory/lab.py deploys/site.py` (docs/pyinfra.md)."""

from hostmuster.engine.operation import site as _site

_site(__file__)
