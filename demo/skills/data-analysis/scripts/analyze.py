#!/usr/bin/env python3
"""Summarise a CSV file: counts, missing values, statistics, text histograms.

Usage:
    python analyze.py FILE [--column NAME] [--group NAME] [--bins 10]
                      [--delimiter ,] [--encoding utf-8-sig]

FILE may be "-" for standard input. Rows are read one at a time; only numbers
and distinct values are kept in memory.
"""
from __future__ import annotations

import argparse
import csv
import math
import statistics
import sys
from collections import Counter, defaultdict

MISSING = {"", "na", "n/a", "nan", "null", "none", "-"}


def to_number(text: str) -> float | None:
    """Parse 1234, 1,234.5, 12% or -3e2; return None for anything else."""
    cleaned = text.strip().replace(",", "")
    percent = cleaned.endswith("%")
    try:
        value = float(cleaned.rstrip("%"))
    except ValueError:
        return None
    if not math.isfinite(value):
        return None
    return value / 100 if percent else value


def short(value: float) -> str:
    return f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"


class Column:
    def __init__(self, name: str) -> None:
        self.name = name
        self.rows = 0
        self.missing = 0
        self.numbers: list[float] = []
        self.values: Counter[str] = Counter()

    def add(self, text: str) -> None:
        self.rows += 1
        text = text.strip()
        if text.lower() in MISSING:
            self.missing += 1
            return
        self.values[text] += 1
        number = to_number(text)
        if number is not None:
            self.numbers.append(number)

    @property
    def numeric(self) -> bool:
        present = self.rows - self.missing
        return present > 0 and len(self.numbers) >= 0.9 * present

    def describe(self) -> list[str]:
        share = 100 * self.missing / self.rows if self.rows else 0
        lines = [f"{self.name}  ({'number' if self.numeric else 'text'})",
                 f"  rows {self.rows}, missing {self.missing} ({share:.1f}%), distinct {len(self.values)}"]
        if self.numeric:
            data = sorted(self.numbers)
            odd = self.rows - self.missing - len(data)
            lines.append(f"  min {short(data[0])}, median {short(statistics.median(data))}, "
                         f"mean {short(statistics.fmean(data))}, max {short(data[-1])}")
            if len(data) >= 4:
                q1, _, q3 = statistics.quantiles(data, n=4, method="inclusive")
                low, high = q1 - 1.5 * (q3 - q1), q3 + 1.5 * (q3 - q1)
                outliers = sum(not low <= v <= high for v in data)
                lines.append(f"  quartiles {short(q1)} to {short(q3)}, "
                             f"standard deviation {short(statistics.stdev(data))}, outliers {outliers}")
            if odd:
                lines.append(f"  {odd} value(s) are not numbers")
        elif self.values:
            top = ", ".join(f"{v[:30]} ({n})" for v, n in self.values.most_common(5))
            lines.append(f"  most frequent: {top}")
        return lines


def histogram(data: list[float], bins: int, width: int = 40) -> list[str]:
    low, high = min(data), max(data)
    if low == high:
        return [f"  {short(low)}  all {len(data)} values are the same"]
    step = (high - low) / bins
    counts = [0] * bins
    for value in data:
        counts[min(int((value - low) / step), bins - 1)] += 1
    peak = max(counts)
    lines = []
    for i, count in enumerate(counts):
        label = f"{short(low + i * step)} to {short(low + (i + 1) * step)}"
        bar = "#" * max(1 if count else 0, round(width * count / peak))
        lines.append(f"  {label:>24} | {bar} {count}")
    return lines


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Summarise a CSV file.")
    parser.add_argument("file", help='CSV file, or "-" for standard input')
    parser.add_argument("--column", help="describe this column only")
    parser.add_argument("--group", help="split the chosen column by this one")
    parser.add_argument("--bins", type=int, default=10)
    parser.add_argument("--delimiter", help="default: detected from the header line")
    parser.add_argument("--encoding", default="utf-8-sig")
    args = parser.parse_args(argv)
    if args.group and not args.column:
        parser.error("--group needs --column")
    if args.bins < 1:
        parser.error("--bins must be at least 1")

    try:
        handle = sys.stdin if args.file == "-" else open(args.file, newline="", encoding=args.encoding)
        with handle:
            header_line = handle.readline()
            delimiter = args.delimiter or max(",;\t|", key=header_line.count)
            header = next(csv.reader([header_line], delimiter=delimiter), [])
            if not header:
                print("error: the file is empty", file=sys.stderr)
                return 2
            for name in filter(None, (args.column, args.group)):
                if name not in header:
                    print(f"error: no column {name!r}; columns: {', '.join(header)}", file=sys.stderr)
                    return 2
            columns = [Column(name) for name in header]
            groups: dict[str, Column] = defaultdict(lambda: Column(args.column))
            ragged = 0
            for row in csv.reader(handle, delimiter=delimiter):
                if not row:
                    continue
                if len(row) != len(header):
                    ragged += 1
                row = (row + [""] * len(header))[: len(header)]
                for column, text in zip(columns, row):
                    column.add(text)
                if args.group:
                    groups[row[header.index(args.group)].strip()].add(row[header.index(args.column)])
    except (OSError, UnicodeDecodeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2

    print(f"{columns[0].rows} rows, {len(header)} columns")
    if ragged:
        print(f"warning: {ragged} row(s) have a different number of fields than the header")
    for column in columns:
        if args.column and column.name != args.column:
            continue
        print()
        print("\n".join(column.describe()))
        if column.numeric:
            print("\n".join(histogram(column.numbers, args.bins)))
    if args.group:
        print(f"\n{args.column} by {args.group}")
        for name, column in sorted(groups.items()):
            data = column.numbers
            figures = f"median {short(statistics.median(data))}, mean {short(statistics.fmean(data))}" if data else "no numbers"
            print(f"  {name or '(missing)'}: count {column.rows}, missing {column.missing}, {figures}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
