"""What `sources discover` prints: one module a format."""
