"""A panel's virtual hosts as they lie there now."""

from __future__ import annotations

from hostmuster.item import Answer, Effect, Seen


def included(guard: str, vhosts: str) -> Effect:
    """Every server block of each has our line."""

    def judge(answer: Answer) -> Seen:
        return Seen(answer.status == 0, answer.output.strip()[:200] or "in every server block")

    return Effect("the panel's files include ours", (guard, "check", vhosts), judge, deadline_s=15)
