#!/usr/bin/env python3
"""Find tables in a simple PDF, or in `pdftotext -layout` output, as CSV.

Usage:
    python extract_tables.py input.pdf [--out DIR] [--min-rows 2]
    python extract_tables.py layout.txt [--out DIR]

Standard library only. The built-in reader handles digital PDFs with simple
(one byte per letter) fonts. For composite fonts or encrypted files, run
`pdftotext -layout` first and pass the text file instead.
Exit code: 0 tables found, 1 none found, 2 the file cannot be read.
"""
from __future__ import annotations

import argparse
import csv
import re
import sys
import zlib
from pathlib import Path

Cell = tuple[float, float, str]  # left edge, right edge, text
TOKEN = re.compile(
    rb"\((?:\\.|[^\\()]|\((?:\\.|[^\\()])*\))*\)"  # (string), one nested level
    rb"|<[0-9A-Fa-f\s]*>|\[|\]|/[^\s/\[\]()<>]+|[-+]?\d*\.?\d+|[A-Za-z'\"][\w*]*",
    re.DOTALL,
)
ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f", b"\n": b""}


class Unsupported(Exception):
    pass


def content_streams(data: bytes) -> list[bytes]:
    """Inflate every stream that contains text operators, in file order."""
    found = []
    for match in re.finditer(rb"stream\r?\n", data):
        head = data[max(0, match.start() - 400): match.start()]
        head = head[head.rfind(b"obj") + 3:]
        end = data.find(b"endstream", match.end())
        body = data[match.end(): end]
        if b"/Image" in head or b"/FontFile" in head or b"/XRef" in head:
            continue
        if b"ASCII85Decode" in head:
            import base64
            try:
                body = base64.a85decode(body.strip().removesuffix(b"~>"))
            except ValueError:
                continue
        if b"FlateDecode" in head:
            try:
                body = zlib.decompressobj().decompress(body)
            except zlib.error:
                continue
        if b"BT" in body and (b"Tj" in body or b"TJ" in body):
            found.append(body)
        elif b"/Identity-H" in body:  # fonts inside an object stream
            raise Unsupported("composite fonts")
    return found


def decode(token: bytes) -> str:
    if token.startswith(b"<"):
        digits = re.sub(rb"\s", b"", token[1:-1])
        return bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode()).decode("cp1252", "replace")

    def unescape(match: re.Match[bytes]) -> bytes:
        code = match.group(1)
        return bytes([int(code, 8) & 255]) if code.isdigit() else ESCAPES.get(code, code)

    raw = re.sub(rb"\\([0-7]{1,3}|.)", unescape, token[1:-1], flags=re.DOTALL)
    return raw.decode("cp1252", "replace")


def width(text: str) -> float:
    """Rough width in ems of text set in an ordinary sans-serif font."""
    return sum(0.26 if c in "iljtfrI.,;:!|'()[] -" else 0.8 if c in "mwMW@%" else 0.66 if c.isupper() else 0.54
               for c in text)


def text_pieces(stream: bytes) -> list[tuple[float, float, float, str]]:
    """Return (x, y, font size, text) for every shown string."""
    pieces: list[tuple[float, float, float, str]] = []
    stack: list[bytes] = []
    matrix, saved = (1.0, 0.0, 0.0), []  # scale, shift x, shift y
    x = y = line_x = line_y = leading = 0.0
    size, scale, in_text = 10.0, 1.0, False

    def numbers(count: int) -> list[float]:
        values = [float(t) for t in stack if re.fullmatch(rb"[-+]?\d*\.?\d+", t)]
        return ([0.0] * count + values)[-count:]

    def show(text: str) -> None:
        nonlocal x
        if text.strip():
            m, dx, dy = matrix
            pieces.append((x * m + dx, y * m + dy, size * scale * m, text))
        x += width(text) * size * scale

    for token in TOKEN.findall(stream):
        if not (token[:1].isalpha() or token in (b"'", b'"')):
            stack.append(token)
            continue
        if token == b"q":
            saved.append(matrix)
        elif token == b"Q" and saved:
            matrix = saved.pop()
        elif token == b"cm":
            a, _, _, _, e, f = numbers(6)
            m, dx, dy = matrix
            matrix = (m * a, dx + e * m, dy + f * m)
        elif token == b"BT":
            x = y = line_x = line_y = 0.0
            scale, in_text = 1.0, True
        elif token == b"ET":
            in_text = False
        elif not in_text and token not in (b"Tf", b"TL"):
            pass
        elif token == b"Tf":
            size = numbers(1)[0] or size
        elif token == b"TL":
            leading = numbers(1)[0]
        elif token in (b"Td", b"TD"):
            dx, dy = numbers(2)
            line_x, line_y = line_x + dx * scale, line_y + dy * scale
            x, y = line_x, line_y
            if token == b"TD":
                leading = -dy
        elif token == b"Tm":
            a, _, _, _, line_x, line_y = numbers(6)
            scale, x, y = abs(a) or 1.0, line_x, line_y
        elif token in (b"T*", b"'", b'"'):
            line_y -= leading * scale
            x, y = line_x, line_y
        if token in (b"Tj", b"'", b'"') and stack and stack[-1][:1] in b"(<":
            show(decode(stack[-1]))
        elif token == b"TJ":
            text = ""
            for part in stack:
                if part[:1] in b"(<":
                    text += decode(part)
                elif part not in (b"[", b"]") and part[:1] != b"/":
                    shift = -float(part) / 1000 * size * scale
                    if shift > size * scale * 1.5:  # a jump wide enough for a new cell
                        show(text)
                        text = ""
                        x += shift
                    elif shift > size * scale * 0.18:
                        text += " "
            show(text)
        stack.clear()
    return pieces


def pdf_rows(data: bytes) -> list[list[list[Cell]]]:
    """Return pages of rows of cells."""
    if not data.lstrip().startswith(b"%PDF"):
        raise Unsupported("not a PDF file")
    if re.search(rb"/Encrypt\s+\d+\s+\d+\s+R", data):
        raise Unsupported("the file is encrypted")
    if b"/Identity-H" in data:
        raise Unsupported("composite fonts")
    pages = []
    for stream in content_streams(data):
        lines: dict[int, list[tuple[float, float, float, str]]] = {}
        for piece in sorted(text_pieces(stream), key=lambda p: -p[1]):
            key = next((k for k in lines if abs(lines[k][0][1] - piece[1]) < 3), len(lines))
            lines.setdefault(key, []).append(piece)
        rows = []
        for pieces in lines.values():
            cells: list[Cell] = []
            for x, _, size, text in sorted(pieces):
                right = x + width(text) * size
                if cells and x - cells[-1][1] < size * 0.3:
                    gap = " " if x - cells[-1][1] > size * 0.1 else ""
                    cells[-1] = (cells[-1][0], right, cells[-1][2] + gap + text)
                else:
                    cells.append((x, right, text))
            rows.append([(a, b, t.strip()) for a, b, t in cells])
        pages.append(rows)
    return pages


def layout_rows(text: str) -> list[list[list[Cell]]]:
    pages = []
    for page in text.split("\f"):
        rows = []
        for line in page.splitlines():
            cells = [(float(m.start()), float(m.end()), m.group()) for m in re.finditer(r"\S+(?: \S+)*", line)]
            rows.append(cells)
        pages.append(rows)
    return pages


def group_tables(rows: list[list[Cell]], min_rows: int) -> list[list[list[str]]]:
    """Consecutive rows of two or more cells form a table."""
    tables, block = [], []
    for row in rows + [[]]:
        if len(row) >= 2:
            block.append(row)
            continue
        if len(block) >= min_rows:
            tables.append(align(block))
        block = []
    return tables


def align(block: list[list[Cell]]) -> list[list[str]]:
    """Put cells that overlap horizontally into the same column."""
    columns: list[list[float]] = []
    for left, right, _ in sorted((c for row in block for c in row), key=lambda c: c[1] - c[0]):
        hit = next((c for c in columns if left < c[1] and right > c[0]), None)
        if hit is None:
            columns.append([left, right])
    columns.sort()
    table = []
    for row in block:
        line = [""] * len(columns)
        for left, right, text in row:
            middle = (left + right) / 2
            i = min(range(len(columns)), key=lambda k: (
                -max(0.0, min(right, columns[k][1]) - max(left, columns[k][0])),
                abs(middle - sum(columns[k]) / 2)))
            line[i] = f"{line[i]} {text}".strip()
        table.append(line)
    return table


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Extract tables as CSV.")
    parser.add_argument("input", type=Path, help="a .pdf file, or text from pdftotext -layout")
    parser.add_argument("--out", type=Path, help="folder for CSV files; default: print")
    parser.add_argument("--min-rows", type=int, default=2)
    args = parser.parse_args(argv)
    try:
        data = args.input.read_bytes()
        if args.input.suffix.lower() == ".pdf" or data.startswith(b"%PDF"):
            pages = pdf_rows(data)
        else:
            pages = layout_rows(data.decode("utf-8", "replace"))
    except Unsupported as error:
        print(f"error: {error}; run pdftotext -layout and pass its output", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2

    count = 0
    for number, rows in enumerate(pages, 1):
        for table in group_tables(rows, args.min_rows):
            count += 1
            if args.out:
                args.out.mkdir(parents=True, exist_ok=True)
                path = args.out / f"table-{count:02d}-page-{number}.csv"
                with path.open("w", newline="", encoding="utf-8") as handle:
                    csv.writer(handle).writerows(table)
                print(f"{path}: {len(table)} rows, {len(table[0])} columns")
            else:
                print(f"# table {count}, page {number}")
                csv.writer(sys.stdout, lineterminator="\n").writerows(table)
    if count == 0:
        print("no tables found; scanned pages need OCR first", file=sys.stderr)
    return 0 if count else 1


if __name__ == "__main__":
    sys.exit(main())
