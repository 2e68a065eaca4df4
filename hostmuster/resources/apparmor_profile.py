"""An AppArmor profile as the kernel has it: loaded, in its mode, and so again after a boot or an upgrade."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hostmuster.resources.resource import Difference, Observation, Probe, Question
from hostmuster.resources.step import Blocked, Keep, Owe, PutLink, Run, Step

FOLDER = "/etc/apparmor.d"
"""What apparmor.service loads at boot, and after an upgrade again; of its folders it loads nothing."""

# Of all profiles at once: the links that change how one is loaded; whether the kernel has the text that was compiled
# last (kept by the parser, byte for byte); the kernel's list; which file defines a name; and the packages that own one.
# Answers are NAME|WORD VALUE.
_ASK = r"""
kernel=/sys/kernel/security/apparmor
for name; do
    for way in disable force-complain; do [ ! -h "/etc/apparmor.d/$way/$name" ] || echo "$name|link $way"; done
    [ -e "$kernel/profiles" ] || continue
    echo "$name|kernel there"
    kept=$(sha1sum /var/cache/apparmor/*/"$name" 2>/dev/null)
    for loaded in "$kernel/policy/profiles/$name".*; do
        # app.1 may be the first of app's, or what belongs to a profile that is called so.
        [ "$(cat "$loaded/name" 2>/dev/null)" = "$name" ] && [ -e "$loaded/raw_sha1" ] || continue
        case $kept in
        '' | *"$(cat "$loaded/raw_sha1")"*) ;;
        *) echo "$name|text another" ;;
        esac
    done
done
[ ! -e "$kernel/profiles" ] || sed -n 's/^\(.*\) (\(.*\))$/\1|mode \2/p' "$kernel/profiles"
find /etc/apparmor.d -maxdepth 1 -type f ! -name '.*' -exec awk '$1 == "profile" { gsub(/"/, "", $2)
    print $2 "|file " substr(FILENAME, 17) }' {} + 2>/dev/null
for name; do set -- "$@" "/etc/apparmor.d/$name"; shift; done
dpkg-query -S "$@" 2>/dev/null | sed -n 's,^\(.*\): /etc/apparmor.d/\(.*\)$,\2|package \1,p'"""

# The kernel has what the files say, as after a boot. A kept compilation may be newer than a file that was put back, so
# none is read, and the new one is kept for the next boot. Undone, it does the same with the files as they were.
_SETTLE = r"""
kernel=/sys/kernel/security/apparmor file=/etc/apparmor.d/$1
[ -e "$kernel/.replace" ] || exit 0
if [ -e "$file" ] && [ ! -e "/etc/apparmor.d/disable/$1" ]; then
    exec apparmor_parser --replace --skip-read-cache --write-cache --quiet "$file"
fi
while read -r name _; do
    [ "$name" != "$1" ] || printf %s "$1" >"$kernel/.remove"
done <"$kernel/profiles" """


def _split(output: str, keys: Sequence[str]) -> Mapping[str, str]:
    found: dict[str, list[str]] = {}
    for line in output.splitlines():
        name, _, said = line.partition("|")
        if name in keys:
            found.setdefault(name, []).append(said)
    return {name: "\n".join(said) for name, said in found.items()}


PROFILES = Probe("apparmor", ("sh", "-c", _ASK, "sh"), _split)


def settle(name: str) -> tuple[str, ...]:
    """The command that loads the profile as its file and the links say, or takes it out of the kernel."""
    return ("sh", "-c", _SETTLE, "reload AppArmor profile", name)


@dataclass(frozen=True)
class AppArmorProfile:
    """The profile of /etc/apparmor.d/NAME. Where the kernel has no AppArmor only the files count. Source: H3.

    `restarts`: units whose processes it confines; those that ran before it was loaded run unconfined until restarted.
    """

    name: str
    enforcing: bool = True
    restarts: tuple[str, ...] = ()
    risky: bool = False

    @property
    def id(self) -> str:
        """`profile NAME`."""
        return f"profile {self.name}"

    @property
    def claim(self) -> str:
        """The id."""
        return self.id

    def questions(self) -> Iterator[Question]:
        """How it is loaded, and who else has its name."""
        yield Question(PROFILES, self.name)

    def compare(self, seen: Observation) -> Iterator[Difference]:
        """Others of that name; links that leave it out or weaken it at boot; its mode in the kernel."""
        now = self._now(seen)
        for other in self._others(now):
            yield Difference(self.id, "name", f"that of {other}", "of no other")
        for link in self._in_the_way(now):
            yield Difference(self.id, "start at boot", f"changed by {link}/{self.name}", "as its file says")
        if not self.enforcing and "force-complain" not in now["link"]:
            yield Difference(self.id, "start at boot", "enforcing", "complaining")
        if now["kernel"] and self._mode(now) != self._declared:
            yield Difference(self.id, "mode", self._mode(now), self._declared)
        elif now["text"] and self.enforcing:
            yield Difference(self.id, "text in the kernel", "another than was compiled", "its file's")

    def steps(self, seen: Observation) -> Iterator[Step]:
        """The links as they should be, then loaded anew, after a new text of its file."""
        now = self._now(seen)
        for other in self._others(now):
            yield Blocked(f"the profile {self.name} is that of {other} too: take another name, or move that away")
        for link in self._in_the_way(now):
            yield Keep(f"{FOLDER}/{link}/{self.name}")
            yield Run(("rm", "-f", "--", f"{FOLDER}/{link}/{self.name}"))
        if not self.enforcing and "force-complain" not in now["link"]:
            yield PutLink(f"{FOLDER}/force-complain/{self.name}", f"../{self.name}")
        if now["kernel"] and not now["mode"]:
            yield from (Owe(unit) for unit in self.restarts)
        yield Run(settle(self.name), undo=settle(self.name), once="files")

    @property
    def _declared(self) -> str:
        return "enforce" if self.enforcing else "complain"

    def _mode(self, now: Mapping[str, Sequence[str]]) -> str:
        mode = now["mode"][0] if now["mode"] else "not loaded"
        return "enforce" if mode == "kill" else mode

    def _in_the_way(self, now: Mapping[str, Sequence[str]]) -> list[str]:
        return [link for link in now["link"] if link == "disable" or self.enforcing]

    def _others(self, now: Mapping[str, Sequence[str]]) -> list[str]:
        files = [f"{FOLDER}/{file}" for file in now["file"] if file != self.name]
        return [*files, *(f"the package {package}" for package in now["package"])]

    def _now(self, seen: Observation) -> dict[str, list[str]]:
        now: dict[str, list[str]] = {word: [] for word in ("kernel", "link", "mode", "text", "file", "package")}
        for line in (seen[Question(PROFILES, self.name)] or "").splitlines():
            word, _, value = line.partition(" ")
            now[word].append(value)
        return now
