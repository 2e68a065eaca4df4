"""The way out: names that may be reached through the proxy, and the path closed to whatever goes around it (H4)."""
