"""A fleet's secrets in HashiCorp Vault or OpenBao instead of a file (H23)."""
