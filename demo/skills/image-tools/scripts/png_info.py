#!/usr/bin/env python3
"""Print size, colour type and chunks of PNG files; verify every checksum.

Usage: python png_info.py FILE... [--json]
Exit code: 0 all fine, 1 a file is damaged, 2 a file cannot be read.
"""
from __future__ import annotations

import argparse
import json
import struct
import sys
import zlib
from pathlib import Path

SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLOUR = {0: ("grey", 1), 2: ("RGB", 3), 3: ("palette", 1), 4: ("grey + alpha", 2), 6: ("RGBA", 4)}


def inspect(data: bytes) -> dict:
    """Return the facts about one PNG; raises ValueError when it is damaged."""
    if not data.startswith(SIGNATURE):
        raise ValueError("not a PNG file")
    info: dict = {"bytes": len(data), "chunks": {}, "text": {}, "transparent": False}
    pixels = b""
    position, ended = len(SIGNATURE), False
    while position < len(data):
        if position + 12 > len(data):
            raise ValueError("the file is cut off")
        length, kind = struct.unpack(">I4s", data[position: position + 8])
        body = data[position + 8: position + 8 + length]
        stored = data[position + 8 + length: position + 12 + length]
        if len(body) < length or len(stored) < 4:
            raise ValueError("the file is cut off")
        if struct.unpack(">I", stored)[0] != zlib.crc32(kind + body):
            raise ValueError(f"wrong checksum in chunk {kind.decode('latin-1')}")
        name = kind.decode("latin-1")
        info["chunks"][name] = info["chunks"].get(name, 0) + 1
        if name == "IHDR":
            width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", body)
            label, channels = COLOUR.get(colour, ("unknown", 1))
            info.update(width=width, height=height, bit_depth=depth, colour=label, interlaced=bool(interlace))
            info["transparent"] = colour in (4, 6)
            row = (width * channels * depth + 7) // 8 + 1
        elif name == "tRNS":
            info["transparent"] = True
        elif name == "pHYs":
            x, _, unit = struct.unpack(">IIB", body)
            if unit == 1:
                info["dpi"] = round(x * 0.0254)
        elif name == "tEXt":
            key, _, value = body.partition(b"\0")
            info["text"][key.decode("latin-1")] = value.decode("latin-1")
        elif name == "IDAT":
            pixels += body
        elif name == "IEND":
            ended = True
            break
        position += 12 + length
    if not ended or "width" not in info:
        raise ValueError("the file is cut off")
    try:
        raw = len(zlib.decompress(pixels))
    except zlib.error as error:
        raise ValueError(f"pixel data cannot be unpacked: {error}") from None
    if not info["interlaced"] and raw != row * info["height"]:
        raise ValueError("pixel data has the wrong length")
    info["compression"] = round(len(pixels) / raw, 3) if raw else 0
    return info


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Describe PNG files.")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args(argv)
    status, results = 0, {}
    for path in args.files:
        try:
            results[str(path)] = inspect(path.read_bytes())
        except OSError as error:
            print(f"error: {error}", file=sys.stderr)
            status = 2
        except (ValueError, struct.error) as error:
            print(f"{path}: {error}", file=sys.stderr)
            status = max(status, 1)
    if args.json:
        print(json.dumps(results, indent=2))
        return status
    for name, info in results.items():
        print(f"{name}: {info['width']}x{info['height']}, {info['colour']} {info['bit_depth']} bit, "
              f"{'transparent' if info['transparent'] else 'opaque'}, {info['bytes']} bytes, "
              f"packed to {100 * info['compression']:.1f}%")
        print("  chunks: " + ", ".join(f"{k} x{v}" if v > 1 else k for k, v in info["chunks"].items()))
        for key, value in info["text"].items():
            print(f"  {key}: {value}")
    return status


if __name__ == "__main__":
    sys.exit(main())
