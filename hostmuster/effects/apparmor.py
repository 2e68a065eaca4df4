"""What profiles achieve: the kernel enforces them, runs nothing of theirs unconfined, and refuses what they deny."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence

from hostmuster.item import Answer, Effect, Seen

# The first line tells whether there is an AppArmor to ask. In a container it would be that of the machine around it.
_KERNEL = r"""
loaded=/sys/kernel/security/apparmor/profiles
enabled=/sys/module/apparmor/parameters/enabled
if [ -r "$loaded" ]; then echo there
elif [ ! -e "$enabled" ]; then echo absent
elif systemd-detect-virt -cq; then echo container
elif grep -q Y "$enabled"; then echo hidden
else echo off
fi
[ -r "$loaded" ] || exit 0
"""
_NOT_RUN = {
    "container": "this host is a container: AppArmor is its machine's affair",
    "absent": "this kernel has no AppArmor",
}
_BROKEN = {
    "hidden": "securityfs is not mounted",
    "off": "AppArmor was switched off at boot (apparmor=0 or lsm=)",
}

# What a container has under the same path is another program.
_RUNNING = r"""
find /proc -maxdepth 2 -name exe -lname "$1" 2>/dev/null | while read -r exe; do
    [ ! "${exe%exe}root/." -ef /. ] ||
        echo "${exe#/proc/} $(cat "${exe%exe}attr/apparmor/current" 2>/dev/null)"
done"""

# That the same command succeeds without the profile shows that it is the profile that refuses it.
_REFUSED = r"""
profile=$1 by=$2
shift 2
grep -qx -e "$profile (enforce)" -e "$profile (kill)" "$loaded" || { echo idle; exit; }
timeout 10 aa-exec -p unconfined -- "$@" >/dev/null 2>&1 </dev/null || { echo "free $?"; exit; }
[ "$by" = path ] || set -- aa-exec -p "$profile" -- "$@"
said=$(timeout 10 "$@" 2>&1 >/dev/null </dev/null)
echo "bound $? $(printf %s "$said" | tail -n 1)" """

_SAME = r"""
for name; do
    built=$(apparmor_parser --skip-kernel-load --skip-cache --quiet --stdout "/etc/apparmor.d/$name" 2>/dev/null |
        sha1sum)
    for loaded in /sys/kernel/security/apparmor/policy/profiles/"$name".*; do
        [ "$(cat "$loaded/name")" = "$name" ] && [ -e "$loaded/raw_sha1" ] || continue
        echo "$name $(cat "$loaded/raw_sha1") ${built%% *}"
    done
done 2>/dev/null"""

Judge = Callable[[list[str]], Seen]


def enforced(profiles: Mapping[str, bool]) -> Effect:
    """Each profile is loaded, and enforces (True) or complains (False)."""

    def judge(lines: list[str]) -> Seen:
        modes = dict(line.rstrip(")").rsplit(" (", 1) for line in lines)
        wrong = [
            f"{name} is {'in mode ' + modes[name] if name in modes else 'not loaded'}"
            for name, enforcing in profiles.items()
            if modes.get(name) not in (("enforce", "kill") if enforcing else ("complain",))
        ]
        return Seen(not wrong, ", ".join(wrong or profiles))

    return _effect("the profiles are loaded", 'cat "$loaded"', (), judge)


def confined(profile: str, path: str) -> Effect:
    """Every running process of a program has its profile: one that was started before it was loaded has none."""

    def judge(lines: list[str]) -> Seen:
        found = [(line.partition("/")[0], line.split()[1]) for line in lines if len(line.split()) > 1]
        free = [f"process {number} is {now}" for number, now in found if now.partition("//")[0] != profile]
        return Seen(not free, ", ".join(free) or f"{len(found)} processes")

    return _effect(f"{path} runs under {profile}", _RUNNING, (path,), judge)


def refused(profile: str, command: Sequence[str], *, by_path: bool) -> Effect:
    """The command succeeds without the profile and fails under it. It is run as root, and must change nothing."""
    shown = shlex.join(command)

    def judge(lines: list[str]) -> Seen:
        word, _, rest = (lines[0] if lines else "idle").partition(" ")
        status, _, said = rest.partition(" ")
        match word:
            case "idle":
                return Seen(False, f"{profile} enforces nothing")
            case "free":
                return Seen(False, f"it proves nothing: it fails without the profile too (status {status})")
            case _:
                return Seen(status != "0", said or ("it is not refused" if status == "0" else f"status {status}"))

    words = (profile, "path" if by_path else "name", *command)
    return _effect(f"{profile} refuses `{shown}`", _REFUSED, words, judge, deep=True)


def as_written(profiles: Sequence[str]) -> Effect:
    """What is loaded is what the files of today compile to, no older text (H10)."""

    def judge(lines: list[str]) -> Seen:
        sums = [line.split() for line in lines]
        stale = [name for name, loaded, built in sums if loaded != built]
        return Seen(not stale, f"another text of {', '.join(stale)} is loaded" if stale else f"{len(sums)} profiles")

    return _effect("what is loaded is what the files say", _SAME, tuple(profiles), judge, deep=True)


def _effect(name: str, ask: str, words: tuple[str, ...], judge: Judge, *, deep: bool = False) -> Effect:
    def told(answer: Answer) -> Seen:
        kernel, *lines = answer.output.splitlines() or ["nothing was answered"]
        if kernel in _NOT_RUN:
            return Seen(None, _NOT_RUN[kernel])
        return judge(lines) if kernel == "there" else Seen(False, _BROKEN.get(kernel, kernel))

    return Effect(name, ("sh", "-c", _KERNEL + ask.lstrip(), "sh", *words), told, "deep" if deep else "cheap")
