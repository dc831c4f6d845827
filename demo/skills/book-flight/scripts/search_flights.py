#!/usr/bin/env python3
"""Search a deterministic sample timetable; no network, no real fares.

Usage:
    python search_flights.py --from Shanghai --to Tokyo --date 2025-11-14
        [--cabin economy|business] [--direct] [--max-price N]
        [--sort price|departure|duration] [--today YYYY-MM-DD] [--json]
    python search_flights.py --list-cities

The same question always gets the same answer: schedules and fares are derived
from a hash of route and date. Exit code: 0 found, 1 none, 2 bad input.
"""
from __future__ import annotations

import argparse
import difflib
import hashlib
import json
import math
import sys
from datetime import date, datetime, timedelta

# code: (city, latitude, longitude, hours from UTC in winter)
AIRPORTS = {
    "PEK": ("Beijing", 40.1, 116.6, 8),
    "PVG": ("Shanghai", 31.1, 121.8, 8),
    "SZX": ("Shenzhen", 22.6, 113.8, 8),
    "HKG": ("Hong Kong", 22.3, 113.9, 8),
    "HND": ("Tokyo", 35.6, 139.8, 9),
    "NRT": ("Tokyo", 35.8, 140.4, 9),
    "KIX": ("Osaka", 34.4, 135.2, 9),
    "ICN": ("Seoul", 37.5, 126.5, 9),
    "SIN": ("Singapore", 1.4, 104.0, 8),
    "LHR": ("London", 51.5, -0.5, 0),
    "CDG": ("Paris", 49.0, 2.5, 1),
    "JFK": ("New York", 40.6, -73.8, -5),
}


def airports_for(name: str) -> list[str]:
    """Airport codes for a city name or a code; raises ValueError if unknown."""
    wanted = name.replace(" ", "").lower()
    if wanted.upper() in AIRPORTS:
        return [wanted.upper()]
    codes = [c for c, a in AIRPORTS.items() if a[0].replace(" ", "").lower() == wanted]
    if codes:
        return codes
    cities = sorted({a[0] for a in AIRPORTS.values()})
    close = difflib.get_close_matches(name.title(), cities, n=3, cutoff=0.5)
    hint = f"did you mean {', '.join(close)}?" if close else f"supported: {', '.join(cities)}."
    raise ValueError(f"unknown city {name!r}; {hint} See reference.md.")


def distance_km(a: str, b: str) -> float:
    (_, lat1, lon1, _), (_, lat2, lon2, _) = AIRPORTS[a], AIRPORTS[b]
    p1, p2 = math.radians(lat1), math.radians(lat2)
    h = (math.sin((p2 - p1) / 2) ** 2
         + math.cos(p1) * math.cos(p2) * math.sin(math.radians(lon2 - lon1) / 2) ** 2)
    return 12742 * math.asin(math.sqrt(h))


def timetable(origin: str, target: str, day: date, cabin: str) -> list[dict]:
    """Three to five sample flights for one airport pair and day."""
    seed = hashlib.sha256(f"{origin}-{target}-{day.isoformat()}".encode()).digest()
    km = distance_km(origin, target)
    flights = []
    for i in range(3 + seed[0] % 3):
        a, b, c, d = seed[1 + 4 * i: 5 + 4 * i]
        stops = 1 if d % 4 == 0 or (km > 8000 and d % 2) else 0
        minutes = round((km / 820 * 60 + 45 + stops * (90 + a % 120)) / 5) * 5
        departs = datetime(day.year, day.month, day.day, 6 + b % 17, 5 * (c % 12))
        shift = AIRPORTS[target][3] - AIRPORTS[origin][3]
        arrives = departs + timedelta(minutes=minutes, hours=shift)
        price = 60 + km * 0.11 + a * 0.5 - stops * 35 + (25 if day.weekday() in (4, 6) else 0)
        if cabin == "business":
            price *= 2.6
        flights.append({
            "flight": f"SK{100 + (a * 7 + b * 3 + i) % 900}",
            "from": origin, "to": target,
            "departs": departs.strftime("%H:%M"), "arrives": arrives.strftime("%H:%M"),
            "day_offset": (arrives.date() - day).days,
            "minutes": minutes, "stops": stops, "cabin": cabin,
            "price": round(price), "currency": "USD",
        })
    return flights


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Search the sample timetable.")
    parser.add_argument("--from", dest="origin")
    parser.add_argument("--to", dest="target")
    parser.add_argument("--date", help="YYYY-MM-DD")
    parser.add_argument("--cabin", choices=["economy", "business"], default="economy")
    parser.add_argument("--direct", action="store_true")
    parser.add_argument("--max-price", type=float)
    parser.add_argument("--sort", choices=["price", "departure", "duration"], default="price")
    parser.add_argument("--today", help="refuse dates before this day or more than 330 days after it")
    parser.add_argument("--list-cities", action="store_true")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args(argv)

    if args.list_cities:
        for code, (city, *_) in AIRPORTS.items():
            print(f"{code}  {city}")
        return 0
    if not (args.origin and args.target and args.date):
        parser.error("--from, --to and --date are needed")

    try:
        origins, targets = airports_for(args.origin), airports_for(args.target)
        if AIRPORTS[origins[0]][0] == AIRPORTS[targets[0]][0]:
            raise ValueError("origin and destination are the same city. See reference.md.")
        try:
            day = date.fromisoformat(args.date)
            today = date.fromisoformat(args.today) if args.today else None
        except ValueError:
            raise ValueError("a date must exist and look like 2025-11-14.") from None
        if today and not today <= day <= today + timedelta(days=330):
            raise ValueError(f"{day} is outside the 330 days from {today}. See reference.md.")
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2

    found = [f for o in origins for t in targets for f in timetable(o, t, day, args.cabin)
             if not (args.direct and f["stops"])
             and not (args.max_price is not None and f["price"] > args.max_price)]
    key = {"price": "price", "departure": "departs", "duration": "minutes"}[args.sort]
    found.sort(key=lambda f: (f[key], f["price"], f["flight"]))

    if args.json:
        print(json.dumps({"date": args.date, "sample": True, "flights": found}, indent=2))
    elif not found:
        print("no flight matches; relax one limit, see reference.md", file=sys.stderr)
    else:
        print(f"{day:%A} {day}, {args.cabin}, sample timetable")
        for f in found:
            later = f" +{f['day_offset']}" if f["day_offset"] > 0 else ""
            stops = "direct" if f["stops"] == 0 else f"{f['stops']} stop"
            print(f"{f['flight']}  {f['departs']} {f['from']} -> {f['arrives']}{later} {f['to']}  "
                  f"{f['minutes'] // 60}h{f['minutes'] % 60:02d}  {stops}  {f['price']} {f['currency']}")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
