"""Data: the database that a fleet's services share, as it is declared and as hosts see it."""
