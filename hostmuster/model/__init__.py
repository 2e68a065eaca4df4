"""The fleet as declared: strict YAML, checked hosts, settings that know where they came from."""
