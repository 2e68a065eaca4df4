"""The start gate: whether a replica that starts may serve with the generation its host has."""

from __future__ import annotations

from collections.abc import Mapping


def obstacle(own: int | None, peers: Mapping[str, int | None]) -> str | None:
    """Why it may not serve yet; None where it may.

    `own` and `peers` are numbers of generations; None for a host without one, or a peer that does not answer. `peers`
    are the other hosts that are not excluded. Invariant: a host that was away while the others went on serves only
    once it caught up; and a host that hears nobody cannot know, so it does not serve. One that has a newer generation
    than its peers is the first of a switch, whose neighbours suit each other. On hosts start_gate.sh says the same.
    """
    if own is None:
        return "this host has no generation of secrets yet"
    heard = {name: generation for name, generation in peers.items() if generation is not None}
    if peers and not heard:
        return f"none of its peers answers ({', '.join(peers)}): it may be the one that is cut off"
    newest = max(heard, key=lambda name: heard[name] or 0, default=None)
    if newest is not None and (heard[newest] or 0) > own:
        return f"it has generation {own}, {newest} has {heard[newest]}: it has to catch up first"
    return None


def is_left_behind(own: int | None, heard: int | None) -> bool:
    """Whether a host that serves may not go on beside a peer with that generation.

    Neighbouring generations suit each other, and a rollout without a host leaves one out, so none of them is its
    neighbour (engine/rollout.py: generation_number).
    """
    return own is not None and heard is not None and heard > own + 1
