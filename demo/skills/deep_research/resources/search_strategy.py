#!/usr/bin/env python3
"""Print search queries for a research topic, grouped by angle.

Usage:
    python search_strategy.py TOPIC [--depth quick|standard|deep]
                              [--lang zh|en|both] [--year YYYY] [--json]

The deeper the search, the more angles are covered. Every query asks about
one angle only, so that results stay on one subject.
"""
from __future__ import annotations

import argparse
import json
import sys
from datetime import date

# (angle, Chinese suffixes, English suffixes); "{y}" becomes the year.
ANGLES: list[tuple[str, list[str], list[str]]] = [
    ("overview", ["是什么 综述"], ["overview explained"]),
    ("size", ["市场规模 {y}", "统计公报"], ["market size {y}", "annual statistics"]),
    ("players", ["主要企业 份额", "竞品 对比"], ["leading companies share", "alternatives comparison"]),
    ("trend", ["趋势 {y}"], ["trends {y}"]),
    ("money", ["定价 商业模式", "融资 {y}"], ["pricing business model", "funding {y}"]),
    ("users", ["用户 调查 满意度"], ["user survey adoption"]),
    ("rules", ["政策 监管 标准"], ["regulation policy standard"]),
    ("papers", ["论文 实证"], ["peer reviewed study", "benchmark results"]),
    ("doubts", ["质疑 问题 失败案例"], ["criticism failure limitations"]),
]
DEPTH = {"quick": 3, "standard": 6, "deep": len(ANGLES)}


def build_queries(topic: str, depth: str, lang: str, year: int) -> dict[str, list[str]]:
    """Return {angle: [query, ...]} in a fixed order."""
    plan: dict[str, list[str]] = {}
    per_language = 1 if depth == "quick" else 2
    for angle, zh, en in ANGLES[: DEPTH[depth]]:
        suffixes: list[str] = []
        if lang in ("zh", "both"):
            suffixes += zh[:per_language]
        if lang in ("en", "both"):
            suffixes += en[:per_language]
        plan[angle] = [f"{topic} {s.format(y=year)}" for s in suffixes]
    return plan


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Print search queries for a topic.")
    parser.add_argument("topic")
    parser.add_argument("--depth", choices=sorted(DEPTH), default="standard")
    parser.add_argument("--lang", choices=["zh", "en", "both"], default="both")
    parser.add_argument("--year", type=int, default=date.today().year)
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    args = parser.parse_args(argv)

    topic = " ".join(args.topic.split())
    if not topic:
        print("error: the topic is empty", file=sys.stderr)
        return 2

    plan = build_queries(topic, args.depth, args.lang, args.year)
    if args.json:
        print(json.dumps(plan, ensure_ascii=False, indent=2))
        return 0
    for angle, queries in plan.items():
        print(f"# {angle}")
        for query in queries:
            print(query)
    return 0


if __name__ == "__main__":
    sys.exit(main())
