"""A server without power: what does no harm is asked elsewhere, and what failed is told as failed."""

from __future__ import annotations

import time

from tests.lab.balancer.ingress import Ingress
from tests.lab.balancer.ingress_fleet import OTHER, TWO, WITHIN_S


def test_no_get_fails_and_each_failed_post_is_told(ingress: Ingress) -> None:
    with ingress.under_load() as seen:
        time.sleep(2)
        died = time.time()
        ingress.lab.kill(TWO)
        left = ingress.noted(TWO, "DOWN", died) - died
        time.sleep(3)
        ingress.lab.start(TWO)
        ingress.within(lambda: ingress.states()[TWO] == "UP", 30, "it returned")
        time.sleep(2)
    posts = seen.method("POST")
    print(f"power loss: left after {left:.2f} s;", seen.figures, "POST:", posts["failures"])
    assert seen.method("GET")["failures"] == {}
    # A status says that it failed; an end without one would leave the client to guess.
    assert all(kind.startswith("POST: status 50") for kind in posts["failures"])
    assert posts["asked"] == len(seen.posts) == posts["ok"] + sum("failed" in post for post in seen.posts)
    assert left < WITHIN_S
    taken = ingress.taken()  # of the dead one as far as its disk has it
    assert len(taken) == len(set(taken)), "none was sent twice"
    told = {post["id"] for post in seen.posts if "id" in post}
    assert told.isdisjoint(post["key"] for post in seen.posts if "failed" in post)
    ingress.all_up(OTHER)
