#!/usr/bin/env python3
"""Prints the minutes of running for each week: slow growth, every fourth week light.

Usage: weeks.py START_MINUTES WEEKS [--growth 10] [--runs 3]
"""

import argparse


def plan(start, weeks, growth):
    """Minutes of each week. A light week has 60 % and does not raise the level."""
    level = start
    for week in range(1, weeks + 1):
        if week % 4 == 0:
            yield round(level * 0.6)
        else:
            yield round(level)
            if week < weeks and (week + 1) % 4 != 0:
                level *= 1 + growth / 100


def main():
    parser = argparse.ArgumentParser(description="Print the minutes of running for each week")
    parser.add_argument("start", type=int, help="minutes of the first week")
    parser.add_argument("weeks", type=int)
    parser.add_argument("--growth", type=float, default=10, help="percent per week, at most 10")
    parser.add_argument("--runs", type=int, default=3, help="runs per week")
    options = parser.parse_args()
    if options.start <= 0 or options.weeks <= 0 or options.runs <= 0 or not 0 <= options.growth <= 10:
        parser.error("start, weeks and runs must be positive, growth between 0 and 10")

    print("week  minutes  per run")
    for week, minutes in enumerate(plan(options.start, options.weeks, options.growth), 1):
        note = "  light" if week % 4 == 0 else ""
        print(f"{week:>4}  {minutes:>7}  {round(minutes / options.runs):>7}{note}")


if __name__ == "__main__":
    main()
