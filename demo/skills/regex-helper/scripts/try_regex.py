#!/usr/bin/env python3
"""Try a regular expression on lines that should match and lines that should not.

Usage: python try_regex.py PATTERN --match LINE ... --refuse LINE ...

Needs Python 3.11 and no packages. Exit code 1 if a line behaves otherwise, 2 if
the pattern is not valid, 3 if it takes longer than two seconds.
"""

import argparse
import multiprocessing
import re
import sys

LIMIT = 2  # seconds


def attempt(pattern: str, match: list[str], refuse: list[str]) -> None:
    wrong = 0
    for line, wanted in [(line, True) for line in match] + [(line, False) for line in refuse]:
        found = re.search(pattern, line)
        ok = bool(found) == wanted
        wrong += not ok
        groups = "" if not found else "  ".join(
            f"{number}={value!r}" for number, value in enumerate(found.groups(), start=1)
        )
        print(f"{'ok  ' if ok else 'FAIL'}  {'match ' if found else 'none  '}  {line!r}  {groups}".rstrip())
    sys.exit(1 if wrong else 0)


def main() -> int:
    parser = argparse.ArgumentParser(description="Try a regular expression.")
    parser.add_argument("pattern")
    parser.add_argument("--match", action="append", default=[])
    parser.add_argument("--refuse", action="append", default=[])
    options = parser.parse_args()
    try:
        re.compile(options.pattern)
    except re.error as error:
        print(f"Not valid at position {error.pos}: {error.msg}")
        return 2
    # A pattern that backtracks cannot be interrupted, so it runs in a process of its own.
    process = multiprocessing.Process(target=attempt, args=(options.pattern, options.match, options.refuse))
    process.start()
    process.join(LIMIT)
    if process.is_alive():
        process.kill()
        print(f"Stopped after {LIMIT} seconds: the pattern backtracks too much")
        return 3
    return process.exitcode or 0


if __name__ == "__main__":
    sys.exit(main())
