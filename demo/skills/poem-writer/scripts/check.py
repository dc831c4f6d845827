#!/usr/bin/env python3
"""检查一首诗的句数、字数、藏头和不同句子之间的重复用字。

用法：check.py 诗.txt [--acrostic 藏头文字]
诗从文件读入，"-" 表示标准输入。只用标准库。
"""

import argparse
import re
import sys
from collections import Counter

FORMS = {(4, 5): "五言绝句", (4, 7): "七言绝句", (8, 5): "五言律诗", (8, 7): "七言律诗"}


def main():
    parser = argparse.ArgumentParser(description="检查一首诗")
    parser.add_argument("file")
    parser.add_argument("--acrostic", help="每句首字应组成的文字")
    options = parser.parse_args()
    if options.file == "-":
        text = sys.stdin.read()
    else:
        with open(options.file, encoding="utf-8") as file:
            text = file.read()

    text = re.sub(r"《[^》]*》", "", text)
    lines = [re.sub(r"\W", "", part) for part in re.split(r"[，。！？；\n]", text)]
    lines = [line for line in lines if line]
    lengths = {len(line) for line in lines}
    problems = []

    if len(lengths) == 1:
        form = FORMS.get((len(lines), lengths.pop()), "齐言诗")
    else:
        form = "长短句"
    print(f"{form}，{len(lines)} 句")

    if options.acrostic:
        heads = "".join(line[0] for line in lines)
        if heads != options.acrostic:
            problems.append(f"藏头是“{heads}”，应为“{options.acrostic}”")
    if form != "长短句":
        counts = Counter(char for line in lines for char in set(line))
        again = sorted(char for char, count in counts.items() if count > 1)
        if again:
            problems.append("重复用字：" + "、".join(again))

    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
