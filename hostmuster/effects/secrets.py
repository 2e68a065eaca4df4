"""Which generation of secrets a service runs with."""

from __future__ import annotations

from hostmuster.effects.service import NOT_TOLD, STANDS_STILL
from hostmuster.item import Answer, Effect, Seen
from hostmuster.secrets.moment import MOMENT
from hostmuster.secrets.reader import CURRENT

_ASK = f"""\
{MOMENT}number=$(readlink {CURRENT}) && changed=$(moment "$1") || exit 1
if ! systemctl is-active -q "$1" && [ "$(systemctl show -p Type --value "$1")" = oneshot ]; then
    echo "${{number##*/}} next"
    exit
fi
systemctl is-active -q "$1" || {{ unit=$1; echo "$1 does not run"; {STANDS_STILL}; }}
started=$(systemctl show -p ActiveEnterTimestamp --timestamp=us+utc --value "$1")
echo "${{number##*/}} $changed $(date -d "$started" +%s.%6N)"
"""


def runs_with_current(unit: str) -> Effect:
    """The unit was started after what it reads last changed: systemd gives it the generation's at each start.

    One that a timer starts and that has ended (Type=oneshot) holds nothing older.
    """

    def judge(answer: Answer) -> Seen:
        if answer.status == NOT_TOLD:
            return Seen(None, answer.output.strip())
        words = answer.output.split()
        if answer.status == 0 and words[1:] == ["next"]:
            return Seen(True, f"nothing of it runs; its next start takes generation {words[0]}")
        if answer.status != 0 or len(words) != 3:
            return Seen(False, answer.output.strip()[-200:] or "there is no generation")
        number, changed, started = words
        if float(started) < float(changed):
            return Seen(False, f"started before generation {number} came: an apply pays the restart it is owed")
        return Seen(True, f"generation {number}")

    ask = ("sh", "-c", _ASK, "sh", unit)
    return Effect(f"{unit} runs with the host's generation", ask, judge, deadline_s=5, of_service=True)
