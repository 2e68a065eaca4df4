"""A service as seen from outside its unit: its socket, its answer, the file its process runs."""

from __future__ import annotations

from hostmuster.item import Answer, Effect, Seen

_RUNS = """\
pid=$(systemctl show -p MainPID --value -- "$1")
[ "${pid:-0}" -gt 0 ] || { echo "no main process"; exit 1; }
tr '\\0' '\\n' <"/proc/$pid/cmdline" | grep -qxF -- "$2" || { echo "process $pid runs something else"; exit 1; }
newest=$(find "$2" -type f -printf '%C@\\n' | sort -n | tail -n 1)
began=$(stat -c %Z "/proc/$pid")
echo "${newest%.*} $began"
"""


def active(unit: str, deadline_s: float) -> Effect:
    """systemd says it runs."""
    return Effect(
        f"{unit} is active",
        ("systemctl", "is-active", "--", unit),
        lambda answer: Seen(answer.status == 0, answer.output.strip()),
        deadline_s=deadline_s,
    )


def listens_only(address: str, port: int, deadline_s: float) -> Effect:
    """The port is open on this one address and on no other."""

    def judge(answer: Answer) -> Seen:
        places = sorted({line.split()[3] for line in answer.output.splitlines() if len(line.split()) > 3})
        return Seen(places == [f"{address}:{port}"], f"on {', '.join(places) or 'none'}")

    ask = ("ss", "-H", "-ltn", f"sport = :{port}")
    return Effect(f"port {port} listens on {address} only", ask, judge, deadline_s=deadline_s)


def answers(url: str, deadline_s: float) -> Effect:
    """A GET is answered with 200 within 3 seconds."""
    ask = ("curl", "-s", "-o", "/dev/null", "-m", "3", "-w", "%{http_code}", url)
    return Effect(f"{url} answers", ask, lambda said: Seen(said.output == "200", said.output), deadline_s=deadline_s)


def says(url: str, text: str, deadline_s: float) -> Effect:
    """A GET is answered with exactly this text, one line."""
    ask = ("curl", "-s", "-m", "3", url)

    def judge(said: Answer) -> Seen:
        return Seen(said.output.strip() == text, said.output.strip()[:200] or "nothing")

    return Effect(f"{url} tells this replica", ask, judge, deadline_s=deadline_s)


def runs(unit: str, folder: str, deadline_s: float) -> Effect:
    """The main process was started from this folder after the last of its files had been put there."""

    def judge(answer: Answer) -> Seen:
        if answer.status != 0:
            return Seen(False, answer.output.strip())
        newest, began = map(int, answer.output.split())
        return Seen(began >= newest, "as shipped" if began >= newest else "started before a file of it was changed")

    return Effect(f"{unit} runs {folder}", ("sh", "-c", _RUNS, "sh", unit, folder), judge, deadline_s=deadline_s)


def hostname(name: str) -> Effect:
    """The host calls itself so."""

    def judge(answer: Answer) -> Seen:
        return Seen(answer.output.strip() == name, answer.output.strip())

    return Effect(f"the host is called {name}", ("hostname",), judge)
