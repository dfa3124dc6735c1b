"""What `scope` prints: one module a format."""
