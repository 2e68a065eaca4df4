"""A checklist for trials: small items that differ when their text does, and take milliseconds."""
