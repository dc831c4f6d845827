#!/usr/bin/env python3
"""Counts the patterns of a log: lines that differ only by numbers, ids or times.

Usage: patterns.py FILE... [--level ERROR] [--rare N] [--top N]
Reads .gz files too. Uses the standard library only.
"""

import argparse
import gzip
import re
import sys

MASKS = [
    re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"),
    re.compile(r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b"),
    re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b"),
    re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{6,}\b", re.IGNORECASE),
    re.compile(r'"[^"]*"'),
    re.compile(r"\d+(?:\.\d+)?"),
]


def pattern(line):
    for mask in MASKS:
        line = mask.sub("<*>", line)
    return " ".join(line.split())


def lines(paths):
    for path in paths:
        opener = gzip.open if path.endswith(".gz") else open
        with opener(path, "rt", encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                yield f"{path}:{number}", line.rstrip("\n")


def main():
    parser = argparse.ArgumentParser(description="Count the patterns of a log")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--level", help="only lines that contain this word")
    parser.add_argument("--rare", type=int, metavar="N", help="patterns seen at most N times")
    parser.add_argument("--top", type=int, default=30, metavar="N", help="number of patterns (30)")
    options = parser.parse_args()

    counts, first = {}, {}
    for place, line in lines(options.files):
        if not line.strip() or (options.level and options.level not in line):
            continue
        key = pattern(line)
        counts[key] = counts.get(key, 0) + 1
        first.setdefault(key, place)

    rows = sorted(counts.items(), key=lambda row: -row[1])
    if options.rare is not None:
        rows = [row for row in rows if row[1] <= options.rare]
    for key, count in rows[: options.top]:
        print(f"{count:>8}  {first[key]:<20}  {key[:160]}")
    print(f"{len(counts)} patterns, {sum(counts.values())} lines", file=sys.stderr)


if __name__ == "__main__":
    main()
