"""``python -m insomnia_skills``."""

from insomnia_skills.cli import main

main()
