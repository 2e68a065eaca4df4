"""Declarative host provisioning and config sync for 2 to 200 Debian hosts."""

__version__ = "0.1.0"
