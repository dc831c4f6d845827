#!/usr/bin/env python3
"""Turn a Markdown outline into slide layouts with element boxes.

Usage:
    python layout.py outline.md          # or "-" to read standard input
    python layout.py --demo

Outline: "# " is the deck title; every "## " starts a slide, with an optional
layout mark in brackets at the end; "- " lines are the slide's blocks.
Output: JSON; boxes are in inches on a 13.333 x 7.5 page.
"""
from __future__ import annotations

import argparse
import json
import math
import re
import sys
import unicodedata

WIDTH, HEIGHT, MARGIN, GUTTER = 13.333, 7.5, 0.75, 0.35
TITLE_HEIGHT = 1.1
KINDS = ("title", "section", "bullets", "two_column", "grid", "quote")
DEMO = """# Demo
## 1. A clear claim [title]
- who and when
## 2. Three numbers decide it
- one
- two
- three
## 3. Before and after [two_column]
- before
- after
"""


def box(x: float, y: float, w: float, h: float, role: str, text: str, size: int) -> dict:
    return {"role": role, "text": text, "font_pt": size,
            "x": round(x, 3), "y": round(y, 3), "w": round(w, 3), "h": round(h, 3)}


def text_width(text: str) -> int:
    """Width in half-character units: East Asian characters count twice."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def fit_font(text: str, w: float, h: float, largest: int, smallest: int) -> int:
    """Largest size in points at which the wrapped text fits into w x h inches."""
    for size in range(largest, smallest, -2):
        per_line = max(1, int(w * 72 / (size * 0.55)))
        lines = math.ceil(max(1, text_width(text)) / per_line)
        if lines * size * 1.25 <= h * 72:
            return size
    return smallest


def choose_kind(position: int, blocks: list[str]) -> str:
    """Pick a layout for a slide that carries no mark."""
    if position == 0:
        return "title"
    if not blocks:
        return "section"
    if len(blocks) == 1:
        return "quote"
    short = all(text_width(b) <= 24 for b in blocks)
    if short and len(blocks) in (3, 4, 6):
        return "grid"
    return "two_column" if len(blocks) == 2 else "bullets"


def place(kind: str, title: str, blocks: list[str]) -> list[dict]:
    inner = WIDTH - 2 * MARGIN
    if kind in ("title", "section", "quote"):
        boxes = [box(MARGIN, 2.3, inner, 1.7, "title", title, fit_font(title, inner, 1.7, 48, 32))]
        if blocks:
            text = "\n".join(blocks)
            boxes.append(box(MARGIN, 4.2, inner, 1.6, "subtitle", text, fit_font(text, inner, 1.6, 28, 20)))
        return boxes

    boxes = [box(MARGIN, 0.5, inner, TITLE_HEIGHT, "title", title, fit_font(title, inner, TITLE_HEIGHT, 36, 28))]
    top = 0.5 + TITLE_HEIGHT + GUTTER
    height = HEIGHT - top - MARGIN
    if not blocks:
        return boxes
    if kind == "bullets":
        columns = 1
    elif kind == "two_column":
        columns = 2
    else:
        columns = 2 if len(blocks) in (2, 4) else 3
    rows = math.ceil(len(blocks) / columns)
    cell_w = (inner - GUTTER * (columns - 1)) / columns
    gap = GUTTER if columns > 1 else 0.12
    cell_h = (height - gap * (rows - 1)) / rows
    if kind == "bullets":
        cell_h = min(cell_h, 1.0)
    size = min(fit_font(b, cell_w, cell_h, 28, 20) for b in blocks)
    for i, text in enumerate(blocks):
        row, column = divmod(i, columns)
        boxes.append(box(MARGIN + column * (cell_w + GUTTER), top + row * (cell_h + gap),
                         cell_w, cell_h, "block", text, size))
    return boxes


def parse(outline: str) -> tuple[str, list[dict]]:
    deck, slides = "", []
    for line in outline.splitlines():
        line = line.strip()
        if line.startswith("## "):
            title = re.sub(r"^\d+[.、]\s*", "", line[3:])
            mark = re.search(r"\s*\[(\w+)\]$", title)
            kind = mark.group(1) if mark else None
            if kind is not None and kind not in KINDS:
                raise ValueError(f"unknown layout [{kind}]; use one of {', '.join(KINDS)}")
            slides.append({"title": title[: mark.start()] if mark else title, "kind": kind, "blocks": []})
        elif line.startswith("# ") and not deck:
            deck = line[2:]
        elif line.startswith("- ") and slides:
            slides[-1]["blocks"].append(line[2:].strip())
        elif line == "---":
            break
    return deck, slides


def layout(outline: str) -> dict:
    deck, slides = parse(outline)
    pages = []
    for i, slide in enumerate(slides):
        kind = slide["kind"] or choose_kind(i, slide["blocks"])
        warnings = []
        if len(slide["blocks"]) > 6:
            warnings.append("more than 6 blocks: split this slide")
        if text_width(slide["title"]) > 60:
            warnings.append("title is long: aim for one line")
        pages.append({"page": i + 1, "kind": kind, "warnings": warnings,
                      "boxes": place(kind, slide["title"], slide["blocks"])})
    return {"deck": deck, "page_size_in": [WIDTH, HEIGHT], "pages": pages}


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Compute slide layouts from an outline.")
    parser.add_argument("outline", nargs="?", help='Markdown file, or "-" for standard input')
    parser.add_argument("--demo", action="store_true", help="use a built-in three-slide outline")
    args = parser.parse_args(argv)
    if not args.demo and not args.outline:
        parser.error("give an outline file or --demo")
    try:
        if args.demo:
            text = DEMO
        elif args.outline == "-":
            text = sys.stdin.read()
        else:
            with open(args.outline, encoding="utf-8") as handle:
                text = handle.read()
        result = layout(text)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if not result["pages"]:
        print('error: no slide found; start each slide with "## "', file=sys.stderr)
        return 2
    print(json.dumps(result, ensure_ascii=False, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
