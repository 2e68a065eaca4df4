"""Own chains of the packet filter as they are loaded, in both families; of everybody else's nothing is touched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files

from hostmuster.resources.resource import Difference, Observation, Probe, Question
from hostmuster.resources.rule import meaning
from hostmuster.resources.step import Run, Step

LOADER = files("hostmuster.firewall").joinpath("load.sh").read_text("utf-8")
"""The script that loads a rule set, at boot too. It says itself what it takes."""

# Only what may concern a chain of ours: the rest of a host with many containers is long.
_ASK = r"""
for family; do
    case $family in 4) save=iptables-save ;; *) save=ip6tables-save ;; esac
    "$save" -t filter 2>/dev/null | sed -nE "s/^(:HOSTMUSTER-|-A (INPUT|FORWARD|OUTPUT|DOCKER-USER|HOSTMUSTER-[A-Z]+) |\
-A .* -[jg] HOSTMUSTER-)/$family \1/p"
done"""


def _split(output: str, keys: Sequence[str]) -> Mapping[str, str]:
    found: dict[str, list[str]] = {}
    for line in output.splitlines():
        family, _, rule = line.partition(" ")
        if family in keys:
            found.setdefault(family, []).append(rule)
    return {family: "\n".join(lines) for family, lines in found.items()}


LOADED = Probe("rules", ("sh", "-c", _ASK, "sh"), _split)


@dataclass(frozen=True)
class Filter:
    """The filter table of one family, as far as it concerns a set's own chains.

    `chains`: their rules in order. `jumps`: for a chain of others, the targets of its rules in order.
    """

    chains: Mapping[str, tuple[str, ...]]
    jumps: Mapping[str, tuple[str, ...]]

    @classmethod
    def read(cls, text: str, own: Sequence[str]) -> Filter:
        """From a rule set's text, or from what iptables-save says of a host."""
        chains: dict[str, list[str]] = {}
        jumps: dict[str, list[str]] = {}
        for line in text.splitlines():
            words = line.split()
            if line.startswith(":") and words[0][1:] in own:
                chains.setdefault(words[0][1:], [])
            elif line.startswith("# jump "):
                jumps.setdefault(words[2], []).append(words[3])
            elif line.startswith("-A ") and words[1] in own:
                chains.setdefault(words[1], []).append(line.split(" ", 2)[2])
            elif line.startswith("-A "):
                some = words[-1] in own and words[2:-1] != ["-j"]
                jumps.setdefault(words[1], []).append(f"{words[-1]} under a condition" if some else words[-1])
        return cls({name: tuple(rules) for name, rules in chains.items()}, {b: tuple(r) for b, r in jumps.items()})

    def reached(self, own: Sequence[str]) -> dict[str, list[str]]:
        """Which chains jump to ours, and whether behind rules of others. Jumps of fail2ban go before ours."""
        found: dict[str, list[str]] = {}
        for base, targets in self.jumps.items():
            before = ""
            for target in targets:
                if target.split()[0] in own:
                    found.setdefault(base, []).append(f"{before}{target}")
                elif not target.startswith("f2b-"):
                    before = "behind others: "
        return found

    def text(self, own: Sequence[str]) -> str:
        """What loads it again."""
        lines = [f"# own {' '.join(own)}"]
        mine = [(base, target) for base, targets in self.jumps.items() for target in targets if target in own]
        lines += [f"# jump {base} {target}" for base, target in dict.fromkeys(mine)]
        lines += ["*filter", *(f":{chain} - [0:0]" for chain in self.chains)]
        lines += [f"-A {chain} {rule}" for chain, rules in self.chains.items() for rule in rules]
        return "\n".join([*lines, "COMMIT"])


@dataclass(frozen=True)
class RuleSet:
    """The chains `own` are loaded as `rules` (family to text) say, by `load`; all that are not in a text are gone.

    Each jump comes before the rules of others. Reverted, the chains are as they were before. Source: H5.
    """

    name: str
    own: tuple[str, ...]
    rules: Mapping[str, str] = field(repr=False, hash=False)
    load: tuple[str, ...]
    risky: bool = True

    @property
    def id(self) -> str:
        """`rules NAME`."""
        return f"rules {self.name}"

    @property
    def claim(self) -> str:
        """The id."""
        return self.id

    def questions(self) -> Iterator[Question]:
        """Each family's chains."""
        yield from (Question(LOADED, family) for family in self.rules)

    def compare(self, seen: Observation) -> Iterator[Difference]:
        """For each family: chains that are missing, differ or are too much, then the jumps to them."""
        for family, text in self.rules.items():
            want = Filter.read(text, self.own)
            have = self._have(seen, family)
            for chain in self.own:
                yield from self._chain(family, chain, have.chains.get(chain), want.chains.get(chain))
            if have.reached(self.own) != want.reached(self.own):
                aspect = f"IPv{family} jumps"
                yield Difference(self.id, aspect, _said(have.reached(self.own)), _said(want.reached(self.own)))

    def steps(self, seen: Observation) -> Iterator[Step]:
        """One load; its undo knows the rules as they were, since the files they came from may be gone."""
        before = [self._have(seen, family).text(self.own) for family in self.rules]
        yield Run(self.load, undo=("sh", "-c", LOADER, "sh", "-", *before))

    def _have(self, seen: Observation, family: str) -> Filter:
        return Filter.read(seen[Question(LOADED, family)] or "", self.own)

    def _chain(
        self, family: str, chain: str, have: Sequence[str] | None, want: Sequence[str] | None
    ) -> Iterator[Difference]:
        aspect = f"IPv{family} {chain}"
        if have is None or want is None:
            if have is not want:
                yield Difference(self.id, aspect, *("missing" if one is None else "there" for one in (have, want)))
            return
        old, new = [meaning(rule) for rule in have], [meaning(rule) for rule in want]
        if old == new:
            return
        foreign = [rule for rule, known in zip(have, old, strict=True) if known not in new]
        lacking = [rule for rule, known in zip(want, new, strict=True) if known not in old]
        said = [*(f"with `{rule}`" for rule in foreign[:3]), *(f"without `{rule}`" for rule in lacking[:3])]
        yield Difference(self.id, aspect, ", ".join(said) or "in another order", f"{len(want)} rules")


def _said(reached: Mapping[str, Sequence[str]]) -> str:
    return "; ".join(f"{base} to {', '.join(targets)}" for base, targets in sorted(reached.items())) or "none"
