"""YAML as frontmatter has it: lines, events, nodes with positions, what is not allowed, quotes."""
