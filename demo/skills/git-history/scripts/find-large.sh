#!/usr/bin/env bash
# List the largest files of the whole history, with size and path.
#
# Usage: find-large.sh [COUNT]
set -euo pipefail

git rev-list --objects --all |
  git cat-file --batch-check='%(objecttype) %(objectsize) %(objectname) %(rest)' |
  awk '$1 == "blob"' |
  sort -k2,2nr |
  awk -v count="${1:-10}" 'NR <= count {
    size = $2; hash = substr($3, 1, 9)
    sub(/^[^ ]+ [^ ]+ [^ ]+ /, "")
    printf "%9.1f kB  %s  %s\n", size / 1000, hash, $0
  }'
