"""The secrets store: a SOPS file whose values only named recipients can read (H23)."""
