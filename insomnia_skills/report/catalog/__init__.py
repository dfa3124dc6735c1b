"""What `catalog` prints: one module a format."""
