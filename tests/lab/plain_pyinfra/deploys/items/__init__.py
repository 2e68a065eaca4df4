"""Its items."""
