"""Drills: a host, a process or a cable is taken away on purpose, and what a client saw is told (H20, R11, R12)."""
