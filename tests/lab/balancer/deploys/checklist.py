"""Servers, and what is in front of them."""

from deploys.items import answers, load_balancer, secrets  # type: ignore[attr-defined]  # of its own project

CHECKLIST = (secrets, answers, load_balancer)
