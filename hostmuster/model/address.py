"""Addresses as people write them, parsed so that no tool reads another machine's out of them."""

from __future__ import annotations

import json
import re
from ipaddress import AddressValueError, IPv4Address
from typing import Annotated

from pydantic import BeforeValidator, Field, JsonValue

from hostmuster.model.types import wrong

_ANYWHERE = re.compile(r"(?<![0-9.])[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![0-9])")
_DOTTED = re.compile(r"[0-9]+(\.[0-9]+){0,3}")
_WHERE = "write the IPv4 address that ssh reaches, four numbers from 0 to 255: for example 192.0.2.11"


def addresses_in(data: JsonValue) -> frozenset[str]:
    """Every IPv4 address that is named in it, for whatever: alone, in a URL, with a prefix."""
    return frozenset(_ANYWHERE.findall(json.dumps(data)))


def _host_address(value: object) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        raise wrong(f"`{value}` is a short form of an address", "write all four numbers")
    if not isinstance(value, str):
        shown = "nothing" if value is None else f"`{value}`"
        raise wrong(f"{shown} is not an IPv4 address", _WHERE)
    if "/" in value:
        raise wrong(f"`{value}` is a network, not a host's address", f"leave the prefix away: {value.split('/')[0]}")
    if re.fullmatch(r"[0-9.]+:[0-9]+", value):
        address, port = value.split(":")
        raise wrong(f"`{value}` holds a port", f"write two keys: address: {address} and port: {port}")
    if ":" in value:
        raise wrong(f"`{value}` is an IPv6 address, which is not supported yet", _WHERE)
    if not _DOTTED.fullmatch(value):
        raise wrong(f"`{value}` is not an IPv4 address (names are not looked up)", _WHERE)
    try:
        address4 = IPv4Address(value)
    except AddressValueError as error:
        raise _misspelled(value) from error
    if address4.is_multicast or address4.is_unspecified or address4 == IPv4Address("255.255.255.255"):
        raise wrong(f"`{value}` is no single host's address", _WHERE)
    return str(address4)


def _misspelled(value: str) -> Exception:
    """ssh and getaddrinfo read 010.0.0.1 as 8.0.0.1 and 10.1 as 10.0.0.1 (inet_aton(3))."""
    numbers = value.split(".")
    if len(numbers) < 4:
        return wrong(f"`{value}` is a short form of an address", "write all four numbers")
    if any(len(number) > 1 and number.startswith("0") for number in numbers):
        decimal = ".".join(str(int(number)) for number in numbers) if len(value) < 40 else "10.0.0.1"
        return wrong(
            f"`{value}` has a number with a leading zero, octal to some tools",
            f"write the decimal number, {decimal} if that is the host",
        )
    return wrong(f"`{value}` has a number over 255", _WHERE)


HostAddress = Annotated[str, BeforeValidator(_host_address), Field(examples=["192.0.2.11"])]
"""An IPv4 literal in its one full spelling. IPv6 literals are refused for now, names always."""
