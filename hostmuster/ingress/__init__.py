"""The way in: which paths are public, which servers answer them, and how one of them leaves and returns (H13)."""
