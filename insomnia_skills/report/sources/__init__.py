"""What `sources` prints: one module a format."""
