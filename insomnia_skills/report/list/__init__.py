"""What `list` prints: one module a format."""
