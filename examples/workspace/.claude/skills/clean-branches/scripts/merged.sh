#!/bin/sh
# List local branches that are merged into the current one, oldest first. Deletes nothing.
set -eu
current=$(git symbolic-ref --quiet --short HEAD || echo HEAD)
git for-each-ref --merged=HEAD --sort=committerdate \
  --format='%(committerdate:short) %(refname:short)' refs/heads |
  awk -v current="$current" '$2 != current && $2 != "main" && $2 != "master"'
