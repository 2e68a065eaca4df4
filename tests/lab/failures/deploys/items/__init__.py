"""The items of the trials."""
