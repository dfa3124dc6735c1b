"""The rules on fields and bodies, one module a theme."""
