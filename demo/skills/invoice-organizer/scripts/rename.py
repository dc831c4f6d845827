#!/usr/bin/env python3
"""Copy invoices into folders by year and category, with names that sort.

Usage: python rename.py list.csv INBOX SORTED [--copy]

Columns of the list: file, date (YYYY-MM-DD), supplier, amount, currency,
category. Without --copy the plan is printed only. Needs Python 3.11 and no
packages. Exit code 1 if a row cannot be used or a file has no row.
"""

import argparse
import csv
import datetime
import re
import shutil
import sys
from decimal import Decimal
from pathlib import Path


def safe(text: str) -> str:
    """Letters and digits of any script, joined by hyphens."""
    return re.sub(r"[^\w]+", "-", text).strip("-_") or "unknown"


def target(row: dict[str, str]) -> Path:
    date = datetime.date.fromisoformat(row["date"])
    amount = f"{Decimal(row['amount']):.2f}-{row['currency']}"
    name = f"{date}_{safe(row['supplier'])}_{amount}{Path(row['file']).suffix.lower()}"
    return Path(str(date.year)) / safe(row["category"]) / name


def main() -> int:
    parser = argparse.ArgumentParser(description="Copy invoices into folders.")
    parser.add_argument("list", type=Path)
    parser.add_argument("inbox", type=Path)
    parser.add_argument("sorted", type=Path)
    parser.add_argument("--copy", action="store_true")
    options = parser.parse_args()

    problems = []
    listed = set()
    planned = set()
    with options.list.open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            listed.add(row["file"])
            source = options.inbox / row["file"]
            try:
                relative = target(row)
            except (ValueError, ArithmeticError) as error:
                problems.append(f"{row['file']}: {error}")
                continue
            destination = options.sorted / relative
            if not source.is_file():
                problems.append(f"{row['file']}: no such file in {options.inbox}")
            elif destination.exists() or destination in planned:
                problems.append(f"{row['file']}: {destination} exists")
            else:
                planned.add(destination)
                print(f"{row['file']} -> {relative}")
                if options.copy:
                    destination.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(source, destination)
    for path in sorted(options.inbox.iterdir()):
        if path.is_file() and path.name not in listed:
            problems.append(f"{path.name}: not in the list")
    for problem in problems:
        print(f"problem: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
