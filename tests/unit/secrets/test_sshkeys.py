"""An operator's key is accepted as OpenSSH wrote it, and nothing else is."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hostmuster.errors import InputError
from hostmuster.secrets import sshkeys
from hostmuster.secrets.value import Secret

ED25519 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBI1+Q+ntzANebtnicCiAY29uqLGWOaOGLEa8bUqOVmS"
# Built by PROTOCOL.u2f: type, curve where there is one, point, application "ssh:".
SK_ED25519 = (
    "sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29t"
    "AAAAIBI1+Q+ntzANebtnicCiAY29uqLGWOaOGLEa8bUqOVmSAAAABHNzaDo="
)


def made(folder: Path, *options: str) -> tuple[str, str]:
    subprocess.run(["ssh-keygen", "-q", "-N", "", "-C", "alice@laptop", *options, "-f", folder / "key"], check=True)
    return (folder / "key").read_text(), (folder / "key.pub").read_text()


@pytest.mark.parametrize(
    "options",
    [
        ("-t", "ed25519"),
        ("-t", "ecdsa", "-b", "256"),
        ("-t", "ecdsa", "-b", "521"),
        ("-t", "rsa", "-b", "3072"),
    ],
    ids=" ".join,
)
def test_keys_of_good_kinds_are_accepted_with_their_comment(tmp_path: Path, options: tuple[str, ...]) -> None:
    private, public = made(tmp_path, *options)
    assert sshkeys.public_line(public, "operator/alice") == public.strip()
    assert sshkeys.same_key(sshkeys.public_of(Secret(private), "key"), public)


def test_security_keys_are_accepted() -> None:
    assert sshkeys.public_line(f"{SK_ED25519} yubikey", "operator/alice").endswith(" yubikey")


def test_the_fingerprint_is_that_of_ssh_keygen(tmp_path: Path) -> None:
    _, public = made(tmp_path, "-t", "ed25519")
    shown = subprocess.run(["ssh-keygen", "-lf", tmp_path / "key.pub"], capture_output=True, text=True, check=True)
    assert sshkeys.fingerprint(public) in shown.stdout


def test_ssh_keygen_reads_the_pair_we_generate_and_signs_with_it(tmp_path: Path) -> None:
    private, public = sshkeys.generate("hostmuster-lab-ssh-ca")
    ca, host = tmp_path / "ca", tmp_path / "host"
    ca.write_bytes(private.reveal())
    ca.chmod(0o600)
    assert (
        subprocess.run(["ssh-keygen", "-yf", ca], capture_output=True, text=True, check=True).stdout.split()[:2]
        == (public.split()[:2])
    )
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", host], check=True)
    subprocess.run(["ssh-keygen", "-q", "-s", ca, "-I", "host-1", "-h", f"{host}.pub"], check=True)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (f'command="id" {ED25519}', "options stand before the key"),
        (f"no-pty,restrict {ED25519} alice", "options stand before the key"),
        (f"{ED25519}\n{ED25519}\n", "2 lines"),
        ("", "0 lines"),
        (ED25519[:-4], "damaged"),
        ("ssh-ed25519", "damaged"),
        ("ssh-ed25519 not-base64!", "damaged"),
        (ED25519.replace("ssh-ed25519 ", "ssh-rsa "), "damaged"),
        ("ssh-dss AAAAB3NzaC1kc3MAAACBAP", "DSA"),
        ("ssh-ed25519-cert-v01@openssh.com AAAA", "a certificate"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n", "a private key was given"),
        (f"{ED25519} alice\x1b[31m", "control characters"),
        (f"{ED25519} {'a' * 200}", "too long"),
    ],
)
def test_everything_else_is_refused_with_the_reason(given: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        sshkeys.public_line(given, "operator/alice")
    assert said in str(caught.value)


def test_a_short_rsa_key_is_refused_with_its_size(tmp_path: Path) -> None:
    _, public = made(tmp_path, "-t", "rsa", "-b", "2048")
    with pytest.raises(InputError, match="RSA key of 2048 bits"):
        sshkeys.public_line(public, "operator/alice")


@pytest.mark.parametrize("damage", ["passphrase", "truncated", "public", "garbage"])
def test_a_private_key_that_cannot_be_used_is_refused_without_being_quoted(tmp_path: Path, damage: str) -> None:
    private, public = made(tmp_path, "-t", "ed25519")
    if damage == "passphrase":
        subprocess.run(["ssh-keygen", "-q", "-p", "-P", "", "-N", "locked", "-f", tmp_path / "key"], check=True)
        private = (tmp_path / "key").read_text()
    given = {"truncated": private[:150], "public": public, "garbage": "x" * 50}.get(damage, private)
    with pytest.raises(InputError) as caught:
        sshkeys.public_of(Secret(given), "automation-key")
    body = private.splitlines()[2]
    assert body not in str(caught.value)
    assert ("passphrase" in str(caught.value)) == (damage == "passphrase")
