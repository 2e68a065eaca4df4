"""A chain of our own in iptables' filter table, jumped to first of OUTPUT, in both families; no other is touched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hostmuster.resources.resource import Difference, Observation, Probe, Question
from hostmuster.resources.rule import meaning
from hostmuster.resources.step import Run, Step
from hostmuster.resources.user import PASSWD

_ASK = """\
for way in 4:iptables 6:ip6tables; do
    if [ "$way" = 6:ip6tables ] && [ ! -e /proc/net/if_inet6 ]; then echo '6 none'; continue; fi
    for chain in OUTPUT "$@"; do
        "${way#*:}" -w 5 -S "$chain" 2>/dev/null | sed "s/^/${way%:*} /"
    done
done"""
_GONE = """\
[ ! -x "$1" ] || exec "$1"
for tool in iptables ip6tables; do
    "$tool" -w 5 -D OUTPUT -j "$2"; "$tool" -w 5 -F "$2"; "$tool" -w 5 -X "$2"
done 2>/dev/null
true"""
_OURS = "HOSTMUSTER-"


def _split(output: str, keys: Sequence[str]) -> Mapping[str, str]:
    found: dict[str, list[str]] = {key: [] for key in keys}
    for line in output.splitlines():
        words = line.split(maxsplit=3)
        for key in keys:
            if line == "6 none" or (len(words) > 2 and words[2] in ("OUTPUT", key)):
                found[key].append(line)
    return {key: "\n".join(lines) for key, lines in found.items() if lines}


CHAINS = Probe("chain", ("sh", "-c", _ASK, "sh"), _split)


@dataclass(frozen=True)
class Chain:
    """The rules of each family, in order, without `-A CHAIN`; what is equal in effect is equal.

    `users` are those that rules name: iptables shows their numbers. `load` is the command that loads the chain and its
    jump, now and at boot; reverted to what it was before, it loads that.
    """

    name: str
    v4: tuple[str, ...]
    v6: tuple[str, ...]
    users: tuple[str, ...]
    load: str
    risky: bool = False

    @property
    def id(self) -> str:
        """`chain NAME`."""
        return f"chain {self.name}"

    @property
    def claim(self) -> str:
        """The id."""
        return self.id

    def questions(self) -> Iterator[Question]:
        """The chain and OUTPUT in both families; the users' numbers."""
        yield Question(CHAINS, self.name)
        yield from (Question(PASSWD, user) for user in self.users)

    def compare(self, seen: Observation) -> Iterator[Difference]:
        """A user who is not there; else, family by family, the chain, its first rule that differs, its jump."""
        numbers = {}
        for user in self.users:
            line = seen[Question(PASSWD, user)]
            if line is None:
                yield Difference(self.id, "user", f"no user {user}", "one of this host's")
            else:
                numbers[user] = line.split(":")[2]
        lines = (seen[Question(CHAINS, self.name)] or "").splitlines()
        yield from self._family("IPv4", [line[2:] for line in lines if line.startswith("4 ")], self.v4, numbers)
        if "6 none" not in lines:
            yield from self._family("IPv6", [line[2:] for line in lines if line.startswith("6 ")], self.v6, numbers)

    def steps(self, seen: Observation) -> Iterator[Step]:
        """Loaded anew, whole."""
        yield Run((self.load,), undo=("sh", "-c", _GONE, "sh", self.load, self.name))

    def _family(
        self, family: str, lines: Sequence[str], want: Sequence[str], numbers: Mapping[str, str]
    ) -> Iterator[Difference]:
        if f"-N {self.name}" not in lines:
            yield Difference(self.id, f"{family} chain", "missing", f"{len(want)} rules")
        else:
            have = [line.removeprefix(f"-A {self.name} ") for line in lines if line.startswith(f"-A {self.name} ")]
            yield from self._rules(family, have, want, numbers)
        jumps = [line.removeprefix("-A OUTPUT ") for line in lines if line.startswith("-A OUTPUT ")]
        count = jumps.count(f"-j {self.name}")
        if count != 1:
            yield Difference(self.id, f"{family} jump", f"there {count} times" if count else "missing", "there once")
        else:
            before = [jump for jump in jumps[: jumps.index(f"-j {self.name}")] if not jump.startswith(f"-j {_OURS}")]
            if before:
                yield Difference(self.id, f"{family} jump", f"behind `{before[0]}`", "the first rule of OUTPUT")

    def _rules(
        self, family: str, have: Sequence[str], want: Sequence[str], numbers: Mapping[str, str]
    ) -> Iterator[Difference]:
        if [meaning(rule, {}) for rule in have] == [meaning(rule, numbers) for rule in want]:
            return
        if not have:
            yield Difference(self.id, f"{family} rules", "none", f"{len(want)} rules")
            return
        for number, (one, other) in enumerate(zip(have, want, strict=False), 1):
            if meaning(one, {}) != meaning(other, numbers):
                yield Difference(self.id, f"{family} rule {number}", f"`{one}`", f"`{other}`")
                return
        yield Difference(self.id, f"{family} rules", f"{len(have)} of them", f"{len(want)}")
