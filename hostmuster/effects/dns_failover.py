"""A name as its servers give it: only declared addresses, at least one, and the same from the next server."""

from __future__ import annotations

from hostmuster.item import Answer, Effect, Seen

_KDIG = ("kdig", "+short", "+time=2", "+retry=1")
_BOTH = """\
one=$1 other=$2
shift 2
while [ $# -gt 0 ]; do
    for server in "$one" "$other"; do
        echo "$server $1 $2 $(kdig +short +time=2 +retry=1 "@$server" "$1" "$2" 2>/dev/null | sort | tr '\\n' ' ')"
    done
    shift 2
done"""


def given(server: str, name: str, kind: str, addresses: tuple[str, ...]) -> Effect:
    """What the host's own server answers: some of the declared addresses."""

    def judge(answer: Answer) -> Seen:
        got = [line for line in answer.output.split("\n") if line and not line.startswith(";")]
        strange = [one for one in got if one not in addresses]
        if answer.status != 0 or not got or strange:
            return Seen(False, f"gives {', '.join(strange) or 'nothing'}: {answer.output.strip()[:200]}")
        out = [one for one in addresses if one not in got]
        return Seen(True, ", ".join(got) + (f"; {', '.join(out)} is out, since it does not answer" if out else ""))

    return Effect(f"{name} {kind} leads to what answers", (*_KDIG, f"@{server}", name, kind), judge)


def alike(own: str, other_name: str, other: str, questions: tuple[tuple[str, str], ...]) -> Effect:
    """The next server gives the same; a change that one has seen the other sees soon."""

    def judge(answer: Answer) -> Seen:
        told: dict[tuple[str, str], dict[str, str]] = {}
        for line in answer.output.splitlines():
            words = line.split(" ", 3)
            if len(words) == 4:
                told.setdefault((words[1], words[2]), {})[words[0]] = words[3].strip()
        for name, kind in questions:
            mine, its = (told.get((name, kind), {}).get(server, "") for server in (own, other))
            if mine != its or not mine:
                return Seen(False, f"{name} {kind}: {mine or 'nothing'} here, {its or 'nothing'} at {other_name}")
        return Seen(True, f"{len(questions)} names are given alike")

    ask = ("sh", "-c", _BOTH, "sh", own, other, *(word for pair in questions for word in pair))
    return Effect("the next server gives the same", ask, judge, cost="deep", deadline_s=30, peer=other_name)
