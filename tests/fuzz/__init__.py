"""Fuzzing: files and trees made from real ones by chance, and what must hold for each.

`python -m tests.fuzz --seconds 60`. ``mutate`` makes inputs, ``engine`` tries them within bounds
and makes small what went wrong, ``targets`` says what is tried and what must hold, ``run`` has
several processes do it.
"""
