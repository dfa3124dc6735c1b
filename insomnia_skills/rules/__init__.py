"""The rules on fields, bodies and resources, by theme, and the catalogue of all rules."""
