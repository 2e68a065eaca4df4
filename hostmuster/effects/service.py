"""A service as seen from outside its unit: its state, its socket, its answers."""

from __future__ import annotations

from hostmuster.item import Answer, Effect, Seen

NOT_TOLD = 3
STANDS_STILL = f"""\
job=$(systemctl show -p Job --value -- "$unit")
[ "${{job:-0}}" -gt 0 ] && exit 1
exit {NOT_TOLD}"""
"""Shell that ends a question about $unit, which does not run. What it runs with cannot be told, and that it does not
run is another line's to say; but one that systemd is about to start, as after a boot, is waited for."""


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

    return Effect(f"{url} tells this replica and program", ask, judge, deadline_s=deadline_s)


def hostname(name: str) -> Effect:
    """The host calls itself so."""

    def judge(answer: Answer) -> Seen:
        return Seen(answer.output.strip() == name, answer.output.strip())

    return Effect(f"the host is called {name}", ("hostname",), judge)
