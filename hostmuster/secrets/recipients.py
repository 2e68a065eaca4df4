"""Who can read a store: age recipients (X25519, ssh-ed25519), and the identities found on this machine."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hostmuster.errors import HostmusterError, InputError, Problem, Refused
from hostmuster.secrets import durable
from hostmuster.secrets.sops_section import Wrapped
from hostmuster.secrets.value import Secret

if TYPE_CHECKING:
    import pyrage

GIVEN = "SOPS_AGE_KEY_FILE"
"""The variable by which sops is told of one identity file; so are we."""
_REMEDY = "give an age1... recipient, an ssh-ed25519 public key line, or a file that holds one"


@dataclass(frozen=True)
class Identity:
    """A private key that can open a store, and the file it came from."""

    source: Path
    key: pyrage.x25519.Identity | pyrage.ssh.Identity


@dataclass(frozen=True)
class Identities:
    """What was found on this machine, in the order it is tried, and what was passed over and why."""

    found: tuple[Identity, ...]
    passed_over: tuple[str, ...]

    @classmethod
    def of_operator(cls, environ: Mapping[str, str] = os.environ, home: Path | None = None) -> Identities:
        """$SOPS_AGE_KEY_FILE, sops' own keys.txt, ours, then ~/.ssh/id_ed25519: as far as they exist."""
        found: list[Identity] = []
        passed_over: list[str] = []
        given = environ.get(GIVEN)
        for path in identity_files(environ, home or Path.home()):
            try:
                keys = _read_identities(path)
            except FileNotFoundError:
                # Nobody need have the others.
                if given and path == Path(given):
                    passed_over.append(f"{GIVEN} names {path}, which is not there")
                continue
            except OSError as error:
                passed_over.append(f"{path}: {error.strerror}")
                continue
            except Refused as error:
                passed_over.append(str(error.what))
                continue
            found += [Identity(path, key) for key in keys]
        return cls(tuple(found), tuple(passed_over))


def identity_files(environ: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    """Where identities are looked for, in order. Source: sops' documentation, "Encrypting using age"."""
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    given = [Path(environ[GIVEN])] if environ.get(GIVEN) else []
    own = own_identity_file(environ, home)
    return (*given, config / "sops" / "age" / "keys.txt", own, home / ".ssh" / "id_ed25519")


def own_identity_file(environ: Mapping[str, str], home: Path) -> Path:
    """The identity file secrets.init makes when the operator has none."""
    return Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "hostmuster" / "age.txt"


def recipient(given: str, where: str = "--recipient") -> str:
    """A recipient in its canonical form, from a recipient, a public key line, or a file holding one.

    Raises InputError.
    """
    given = given.strip()
    if not given.startswith(("age1", "ssh-", "AGE-SECRET-KEY", "-----")):
        where, given = f"{where} {given}", _single_line(Path(given).expanduser(), where)
    if "PRIVATE KEY" in given or given.upper().startswith("AGE-SECRET-KEY"):
        raise _mistake(where, "a private key was given", _REMEDY)
    canonical = " ".join(given.split()[:2]) if given.startswith("ssh-") else given
    try:
        _parsed(canonical)
    except ValueError:
        broken = True
    else:
        broken = False
    if broken:
        raise _mistake(where, f"not an age or ssh-ed25519 recipient: {canonical[:40]}", _REMEDY)
    return canonical


def wrap(key: Secret, to: Sequence[str]) -> tuple[Wrapped, ...]:
    """The data key encrypted for each recipient apart, as SOPS stores it."""
    import pyrage

    return tuple(Wrapped(one, pyrage.encrypt(key.reveal(), [_parsed(one)], armored=True).decode()) for one in to)


def unwrap(wrapped: Sequence[Wrapped], identities: Identities, where: str) -> Secret:
    """The data key. Raises Refused, with the recipients the file has, when no identity here opens it."""
    import pyrage

    for identity in identities.found:
        for one in wrapped:
            try:
                key = pyrage.decrypt(one.key.encode(), [identity.key])
            except pyrage.DecryptError:
                continue
            if len(key) == 32:
                return Secret(key)
    raise Refused(_no_identity(wrapped, identities), where=where, remedy=_how_to_open(identities))


def make_identity(path: Path) -> str:
    """A new age identity in a file only its owner reads; the recipient that goes with it.

    Raises Refused when the file exists: an identity is never overwritten.
    """
    import datetime

    import pyrage

    made = pyrage.x25519.Identity.generate()
    public = str(made.to_public())
    durable.folder(path.parent, 0o700)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise Refused("the age identity file exists already", where=str(path)) from error
    except OSError as error:
        raise HostmusterError(f"the age identity cannot be written: {error.strerror}", where=str(path)) from error
    with os.fdopen(handle, "w") as file:
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        file.write(f"# created: {now}\n# public key: {public}\n{made}\n")
        file.flush()
        os.fsync(file.fileno())
    return public


def _read_identities(path: Path) -> list[pyrage.x25519.Identity | pyrage.ssh.Identity]:
    import pyrage

    raw = path.read_bytes()
    try:
        if b"PRIVATE KEY-----" in raw:
            return [pyrage.ssh.Identity.from_buffer(raw)]
        lines = [line.strip() for line in raw.decode("utf-8", "replace").splitlines()]
        keys = [line for line in lines if line and not line.startswith("#")]
        return [pyrage.x25519.Identity.from_str(line) for line in keys]
    except pyrage.IdentityError as error:
        locked = "must be decrypted" in str(error)
    why = "protected by a passphrase, which age cannot ask for" if locked else "no age or ssh-ed25519 key"
    raise Refused(f"{path}: {why}")


def _parsed(text: str) -> pyrage.x25519.Recipient | pyrage.ssh.Recipient:
    """Raises ValueError."""
    import pyrage

    try:
        if text.startswith("ssh-ed25519 "):
            return pyrage.ssh.Recipient.from_str(text)
        if text.startswith("age1"):
            return pyrage.x25519.Recipient.from_str(text)
    except pyrage.RecipientError as error:
        raise ValueError("not a recipient") from error
    raise ValueError("neither age1... nor ssh-ed25519")


def _single_line(path: Path, where: str) -> str:
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError([Problem(where, f"{path} cannot be read as a recipient's file", _REMEDY)]) from error
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if len(lines) != 1:
        raise _mistake(where, f"{path} holds {len(lines)} lines where one recipient is expected", _REMEDY)
    return lines[0]


def _no_identity(wrapped: Sequence[Wrapped], identities: Identities) -> str:
    readers = "\n    ".join(one.recipient for one in wrapped)
    tried = ", ".join(dict.fromkeys(str(one.source) for one in identities.found)) or "none found"
    return f"no identity here opens this store (tried: {tried}); it is encrypted for\n    {readers}"


def _how_to_open(identities: Identities) -> str:
    noted = "".join(f"{line}\n    " for line in identities.passed_over)
    return f"{noted}ask one of them to add you, or name your key file in {GIVEN}"


def _mistake(where: str, what: str, remedy: str) -> InputError:
    return InputError([Problem(where, what, remedy)])
