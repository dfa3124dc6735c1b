"""What `rules` and `explain` prints: one module a format."""
