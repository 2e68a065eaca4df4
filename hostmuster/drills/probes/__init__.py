"""Probes: processes of their own that ask like a client and tell what failed, and when."""
