#!/bin/sh
# Files that differ from a branch, the most changed first. Usage: changed.sh [BRANCH]
set -eu
git diff --numstat "${1:-main}"... |
  awk -F '\t' '{ print $1 + $2 "\t" $3 }' |
  sort -rn
