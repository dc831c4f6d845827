#!/usr/bin/env python3
"""Print the current date and time in a time zone, as JSON.

Usage: python get_current_time.py [--tz Asia/Tokyo]
"""
from __future__ import annotations

import argparse
import json
import sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Print the current date and time.")
    parser.add_argument("--tz", default="UTC", help="IANA name, for example Asia/Tokyo")
    args = parser.parse_args(argv)
    try:
        zone = timezone.utc if args.tz == "UTC" else ZoneInfo(args.tz)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        print(f"error: unknown time zone {args.tz!r}", file=sys.stderr)
        return 2
    now = datetime.now(zone)
    print(json.dumps({
        "now": now.isoformat(timespec="seconds"),
        "date": now.date().isoformat(),
        "weekday": now.strftime("%A"),
        "tomorrow": (now.date() + timedelta(days=1)).isoformat(),
        "time_zone": args.tz,
    }, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
