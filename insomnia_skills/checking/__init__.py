"""What `validate` runs and which of its findings count."""
