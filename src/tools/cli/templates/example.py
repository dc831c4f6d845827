"""Describe in one line what this script does.

The instructions in SKILL.md say when the agent runs it.
"""

import sys


def main(arguments: list[str]) -> int:
    if not arguments:
        print("usage: example.py INPUT", file=sys.stderr)
        return 2
    print(f"input: {arguments[0]}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
