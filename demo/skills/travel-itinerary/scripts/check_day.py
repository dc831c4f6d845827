#!/usr/bin/env python3
"""Check one day of an itinerary: overlaps, long days, missing meals.

Usage: python check_day.py day.csv

Columns: start (HH:MM), minutes, stop, kind (sight, meal, rest), travel_after
(minutes to the next stop). Needs Python 3.11 and no packages. Exit code 1 if
there is a warning.
"""

import csv
import sys


def minutes(clock: str) -> int:
    hours, rest = clock.split(":")
    return int(hours) * 60 + int(rest)


def clock(total: int) -> str:
    return f"{total // 60:02}:{total % 60:02}"


def check(stops: list[dict[str, str]]) -> list[str]:
    warnings = []
    for stop, following in zip(stops, stops[1:]):
        arrival = minutes(stop["start"]) + int(stop["minutes"]) + int(stop["travel_after"])
        late = arrival - minutes(following["start"])
        if late > 0:
            warnings.append(f"{following['stop']}: arrival at {clock(arrival)}, {late} minutes late")
    first, last = stops[0], stops[-1]
    hours = (minutes(last["start"]) + int(last["minutes"]) - minutes(first["start"])) / 60
    if hours > 12:
        warnings.append(f"the day lasts {hours:.1f} hours")
    if sum(int(stop["minutes"]) for stop in stops if stop["kind"] == "sight") > 6 * 60:
        warnings.append("more than 6 hours of sights")
    if not any(stop["kind"] == "meal" and 11 * 60 <= minutes(stop["start"]) <= 14 * 60 for stop in stops):
        warnings.append("no lunch between 11:00 and 14:00")
    return warnings


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    with open(sys.argv[1], encoding="utf-8-sig", newline="") as file:
        stops = list(csv.DictReader(file))
    if not stops:
        print("No stops in the file")
        return 2
    warnings = check(stops)
    for warning in warnings:
        print(f"warning: {warning}")
    print(f"{len(stops)} stops, {len(warnings)} warnings")
    return 1 if warnings else 0


if __name__ == "__main__":
    sys.exit(main())
