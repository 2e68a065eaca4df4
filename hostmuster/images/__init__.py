"""Container images: how they are named, read from archives, and known by their config digests on a host's engine."""
