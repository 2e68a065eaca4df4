"""An engine and its images as the engine itself tells of them."""

from __future__ import annotations

import json

from hostmuster.images.reference import familiar
from hostmuster.images.script import command
from hostmuster.images.trouble import Trouble
from hostmuster.item import Answer, Effect, Seen


def engine_answers(live_restore: bool | None) -> Effect:
    """It answers, and keeps containers over its own restart where that is declared."""

    def judge(answer: Answer) -> Seen:
        now = dict(line.partition(" ")[::2] for line in answer.output.splitlines())
        if trouble := Trouble.of(now):
            return Seen(False, trouble.text, lasts=trouble.lasts)
        if "version" not in now:
            return Seen(False, "it does not answer" if "program" in now else "there is none")
        seen = f"docker {now['version']}, store {now['store']}, live-restore {now['live']}"
        return Seen(live_restore is None or now["live"] == json.dumps(live_restore), seen)

    return Effect("the engine answers", command("engine"), judge, deadline_s=15)


def is_image(reference: str, config: str) -> Effect:
    """The reference names the image of this config digest."""

    def judge(answer: Answer) -> Seen:
        for line in answer.output.splitlines():
            store, _, found, *tags = line.split()
            if familiar(reference) in tags:
                return Seen(found == config, f"config digest {found} (store {store})")
        return Seen(False, "missing")

    return Effect(f"image {reference}", command("ask", familiar(reference)), judge, deadline_s=5)


def runs(reference: str, words: tuple[str, ...]) -> Effect:
    """A command in the image succeeds, without a network and leaving nothing behind."""

    def judge(answer: Answer) -> Seen:
        lines = [line for line in answer.output.splitlines() if line.strip() and not line.startswith("See '")]
        said = (lines or ["nothing"])[-1]
        return Seen(answer.status == 0, f"exit {answer.status}: {said[:200]}")

    run = ("docker", "run", "--rm", "--network", "none", "--pull", "never")
    ask = ("timeout", "25", *run, reference, *words)
    return Effect(f"image {reference} runs", ask, judge, cost="deep", deadline_s=30)
