"""Hosts whose virtual hosts a panel writes: ours stand in files that it does not."""
