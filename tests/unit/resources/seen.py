"""An observation from what the commands would print, through the probes' own parsers."""

from __future__ import annotations

from hostmuster.resources.resource import Observation, Resource


def seen(resource: Resource, **outputs: str) -> Observation:
    """`outputs` by probe name: what the host prints for all keys of that probe."""
    answers: dict[tuple[str, str], str] = {}
    asked: dict[str, list[str]] = {}
    probes = {}
    for question in resource.questions():
        asked.setdefault(question.probe.name, []).append(question.key)
        probes[question.probe.name] = question.probe
    for name, probe in probes.items():
        for key, text in probe.split(outputs.get(name, ""), asked[name]).items():
            answers[name, key] = text
    return Observation(answers)


def found(resource: Resource, **outputs: str) -> dict[str, tuple[str, str]]:
    """Aspect to (have, want)."""
    return {d.aspect: (d.have, d.want) for d in resource.compare(seen(resource, **outputs))}
