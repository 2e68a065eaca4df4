"""The benchmark's declared items."""
