#!/usr/bin/env python3
"""Writes an iCalendar file from a CSV with the columns title,start,end,zone,repeat,place.

A start with a date only makes an all-day event. Usage: make_ics.py events.csv > events.ics
"""

import csv
import hashlib
import sys
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo


def escape(text):
    return text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\n", "\\n")


def fold(line):
    """Splits a line after 75 bytes, never inside a character."""
    parts, current = [], ""
    for char in line:
        if len((current + char).encode()) > 75:
            parts.append(current)
            current = " "
        current += char
    return "\r\n".join([*parts, current])


def moment(name, text, zone, repeats):
    """A local time with its zone for repeating events, else the same moment in UTC."""
    local = datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone))
    if repeats:
        return f"{name};TZID={zone}:{local:%Y%m%dT%H%M%S}"
    return f"{name}:{local.astimezone(timezone.utc):%Y%m%dT%H%M%SZ}"


def event(row, stamp):
    title, start, zone = row["title"], row["start"], row["zone"] or "UTC"
    uid = hashlib.sha256(f"{title}|{start}|{zone}".encode()).hexdigest()[:32]
    lines = ["BEGIN:VEVENT", f"UID:{uid}", f"DTSTAMP:{stamp:%Y%m%dT%H%M%SZ}", f"SUMMARY:{escape(title)}"]
    if "T" in start:
        end = row["end"] or (datetime.fromisoformat(start) + timedelta(hours=1)).isoformat()
        lines += [moment("DTSTART", start, zone, row["repeat"]), moment("DTEND", end, zone, row["repeat"])]
    else:
        last = date.fromisoformat(row["end"] or start)
        lines += [f"DTSTART;VALUE=DATE:{date.fromisoformat(start):%Y%m%d}"]
        lines += [f"DTEND;VALUE=DATE:{last + timedelta(days=1):%Y%m%d}"]
    if row["repeat"]:
        lines.append(f"RRULE:{row['repeat']}")
    if row["place"]:
        lines.append(f"LOCATION:{escape(row['place'])}")
    return [*lines, "END:VEVENT"]


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: make_ics.py events.csv > events.ics")
    stamp = datetime.now(timezone.utc)
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//skillshelf//calendar sample//EN"]
    with open(sys.argv[1], encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            lines += event(row, stamp)
    text = "\r\n".join(fold(line) for line in [*lines, "END:VCALENDAR"]) + "\r\n"
    sys.stdout.buffer.write(text.encode())


if __name__ == "__main__":
    main()
