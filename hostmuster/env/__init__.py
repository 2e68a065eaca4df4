"""Environment files: one typed source, a renderer for each consumer, since no two read the same grammar (H1)."""
