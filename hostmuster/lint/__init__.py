"""Artefacts are checked before any host is touched: by the consumer's own parser where this machine has it."""
