#!/usr/bin/env python3
"""Compare two files line by line, or byte by byte when they are binary.

Usage:
    python compare.py OLD NEW [--summary | --words | --json] [--context 3]
                      [--ignore-space] [--ignore-case] [--encoding utf-8]

Exit code: 0 identical, 1 different, 2 cannot compare.
"""
from __future__ import annotations

import argparse
import difflib
import hashlib
import json
import re
import sys
from pathlib import Path


def normalise(line: str, args: argparse.Namespace) -> str:
    if args.ignore_space:
        line = " ".join(line.split())
    return line.casefold() if args.ignore_case else line


def mark_words(old: str, new: str) -> str:
    """One line with [-removed-] and {+added+} words."""
    a, b = re.findall(r"\s+|\w+|[^\w\s]", old), re.findall(r"\s+|\w+|[^\w\s]", new)
    out = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag == "equal":
            out.append("".join(a[i1:i2]))
            continue
        if i2 > i1:
            out.append("[-" + "".join(a[i1:i2]) + "-]")
        if j2 > j1:
            out.append("{+" + "".join(b[j1:j2]) + "+}")
    return "".join(out)


def compare_binary(old: bytes, new: bytes) -> dict:
    first = next((i for i, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
    same = old == new
    return {"identical": same, "binary": True} | ({} if same else {"first_difference": first})


def compare_text(old: list[str], new: list[str], args: argparse.Namespace) -> tuple[dict, difflib.SequenceMatcher]:
    matcher = difflib.SequenceMatcher(
        None, [normalise(x, args) for x in old], [normalise(x, args) for x in new], autojunk=False)
    added = removed = edited = 0
    changes = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            continue
        both = min(i2 - i1, j2 - j1)
        edited += both
        removed += i2 - i1 - both
        added += j2 - j1 - both
        changes.append({"kind": tag, "old_start": i1 + 1, "old_lines": i2 - i1,
                        "new_start": j1 + 1, "new_lines": j2 - j1})
    return {"identical": not changes, "binary": False, "added": added, "removed": removed, "edited": edited,
            "similarity": round(matcher.ratio(), 4), "changes": changes}, matcher


def print_changes(old: list[str], new: list[str], matcher: difflib.SequenceMatcher, args: argparse.Namespace) -> None:
    print(f"--- {args.old}\n+++ {args.new}")
    for group in matcher.get_grouped_opcodes(args.context):
        first, last = group[0], group[-1]
        print(f"@@ -{first[1] + 1},{last[2] - first[1]} +{first[3] + 1},{last[4] - first[3]} @@")
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                for line in old[i1:i2]:
                    print(" " + line.rstrip("\r\n"))
                continue
            paired = min(i2 - i1, j2 - j1) if args.words else 0
            for k in range(paired):
                print("~" + mark_words(old[i1 + k].rstrip("\r\n"), new[j1 + k].rstrip("\r\n")))
            for line in old[i1 + paired:i2]:
                print("-" + line.rstrip("\r\n"))
            for line in new[j1 + paired:j2]:
                print("+" + line.rstrip("\r\n"))


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Compare two files.")
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--summary", action="store_true", help="counts only")
    mode.add_argument("--words", action="store_true", help="mark changed words inside lines")
    mode.add_argument("--json", action="store_true")
    parser.add_argument("--context", type=int, default=3)
    parser.add_argument("--ignore-space", action="store_true")
    parser.add_argument("--ignore-case", action="store_true")
    parser.add_argument("--encoding", default="utf-8")
    args = parser.parse_args(argv)

    try:
        raw = [path.read_bytes() for path in (args.old, args.new)]
        binary = any(b"\0" in data for data in raw) and not args.encoding.lower().startswith(("utf-16", "utf-32"))
        sides = [{"path": str(path), "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
                 for path, data in zip((args.old, args.new), raw)]
        if binary:
            result, matcher = compare_binary(*raw), None
        else:
            # Only \n ends a line, so that CRLF and LF files differ visibly.
            lines = [re.findall(r"[^\n]*\n|[^\n]+", data.decode(args.encoding)) for data in raw]
            for side, content in zip(sides, lines):
                side["lines"] = len(content)
            result, matcher = compare_text(*lines, args)
    except (OSError, UnicodeDecodeError, LookupError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2

    result = {"old": sides[0], "new": sides[1]} | result
    if args.json:
        print(json.dumps(result, ensure_ascii=False, indent=2))
    elif result["identical"]:
        print("identical" + (" under the given options" if args.ignore_space or args.ignore_case else ""))
    elif binary:
        for name in ("old", "new"):
            print(f"{name}: {result[name]['bytes']} bytes, sha256 {result[name]['sha256'][:12]}")
        print(f"first difference at byte {result['first_difference']}")
    else:
        if not args.summary:
            print_changes(*lines, matcher, args)
            print()
        print(f"added {result['added']}, removed {result['removed']}, edited {result['edited']}, "
              f"similarity {100 * result['similarity']:.0f}%")
        crlf = [data.count(b"\r\n") > 0 for data in raw]
        if crlf[0] != crlf[1]:
            print(f"note: only the {'old' if crlf[0] else 'new'} file uses CRLF line endings")
        final = [data.endswith(b"\n") for data in raw]
        if all(raw) and final[0] != final[1]:
            print(f"note: the {'new' if final[0] else 'old'} file has no newline at its end")
    return 0 if result["identical"] else 1


if __name__ == "__main__":
    sys.exit(main())
