"""The fleet of lab.yml for plain pyinfra: `pyinfra inventory/lab.py deploys/site.py`."""

from hostmuster.model.pyinfra_inventory import groups as _groups

globals().update(_groups(__file__))
