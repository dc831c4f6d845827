#!/usr/bin/env python3
"""Turn subtitles (.srt or .vtt) into paragraphs with time codes.

Usage: python srt_to_text.py episode.srt [--gap SECONDS]

A pause longer than the gap begins a paragraph. Needs Python 3.11 and no packages.
"""

import argparse
import re

TIME = re.compile(r"(?:(\d+):)?(\d+):(\d+)[.,](\d+)\s*-->\s*(?:(\d+):)?(\d+):(\d+)[.,](\d+)")


def seconds(hours: str | None, minutes: str, rest: str, fraction: str) -> float:
    return int(hours or 0) * 3600 + int(minutes) * 60 + int(rest) + float(f"0.{fraction}")


def cues(text: str):
    """Yield the start, the end and the text of each subtitle."""
    for block in re.split(r"\n\s*\n", text.replace("\r\n", "\n")):
        lines = block.strip().split("\n")
        at = next((index for index, line in enumerate(lines) if TIME.search(line)), None)
        if at is None:
            continue
        parts = TIME.search(lines[at]).groups()
        spoken = re.sub(r"<[^>]+>", "", " ".join(lines[at + 1 :])).strip()
        if spoken:
            yield seconds(*parts[:4]), seconds(*parts[4:]), spoken


def stamp(total: float) -> str:
    hours, rest = divmod(int(total), 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes:02}:{left:02}"


def join(one: str, other: str) -> str:
    """Join two lines, with a space unless Chinese or Japanese is on both sides."""
    wide = re.compile(r"[\u3000-\u9fff\uff00-\uffef]")
    return one + ("" if wide.match(one[-1]) and wide.match(other[0]) else " ") + other


def main() -> None:
    parser = argparse.ArgumentParser(description="Turn subtitles into paragraphs.")
    parser.add_argument("file")
    parser.add_argument("--gap", type=float, default=2.0, help="pause in seconds, 2 unless given")
    options = parser.parse_args()
    with open(options.file, encoding="utf-8-sig") as file:
        found = cues(file.read())
    paragraph, began, ended, before = "", 0.0, 0.0, ""
    for start, end, spoken in found:
        if spoken == before:
            ended = end
            continue
        if paragraph and start - ended > options.gap:
            print(f"[{stamp(began)}] {paragraph}\n")
            paragraph = ""
        if paragraph:
            paragraph = join(paragraph, spoken)
        else:
            paragraph, began = spoken, start
        ended, before = end, spoken
    if paragraph:
        print(f"[{stamp(began)}] {paragraph}")


if __name__ == "__main__":
    main()
