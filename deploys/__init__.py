"""What this project's fleets are: the checklist and its items."""
