"""YAML as frontmatter has it: events, nodes with positions, what is not allowed, quotes."""
