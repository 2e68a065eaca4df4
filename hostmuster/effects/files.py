"""What a user of a host may do with paths, asked as that user."""

from __future__ import annotations

from collections.abc import Sequence

from hostmuster.item import Answer, Effect, Seen

_ASK = """\
user=$1; shift
id "$user" >/dev/null || exit 1
runuser -u "$user" -- sh -c 'for path; do [ -w "$path" ] && [ -x "$path" ] || echo "$path"; done' sh "$@" """


_READ = 'for path; do ! runuser -u nobody -- test -r "$path" || echo "$path"; done'


def kept_from_others(paths: Sequence[str]) -> Effect:
    """A user whom the files are not for cannot read them."""

    def judge(answer: Answer) -> Seen:
        read = answer.output.split()
        return Seen(not read, f"nobody reads {', '.join(read)}" if read else f"{len(paths)} closed to nobody")

    return Effect("closed to others", ("sh", "-c", _READ, "sh", *paths), judge)


def may_write(user: str, folders: Sequence[str]) -> Effect:
    """The user may make files in each of these folders. Nothing is written to see it."""

    def judge(answer: Answer) -> Seen:
        shut = answer.output.split()
        if answer.status != 0:
            return Seen(False, answer.output.strip())
        return Seen(not shut, f"not in {', '.join(shut)}" if shut else f"in {len(folders)} folders")

    return Effect(f"{user} may write", ("sh", "-c", _ASK, "sh", user, *folders), judge)
