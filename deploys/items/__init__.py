"""The lines of the checklist, one module each."""
