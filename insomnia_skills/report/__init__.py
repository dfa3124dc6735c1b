"""Results become output: one module a format or view, each a function of the same result."""
