"""The examples of a folder, and what is drawn from them. Texts are numbers: their places in `texts`."""

import json
import zlib
from collections import defaultdict

import numpy as np

# One owner of this many is held out, with all skills and examples.
HELD = 33
# How many skills the held-out messages are ranked against.
CANDIDATES = 500
# Kinds of pairs of a text and a skill, and of two texts in two languages, and how often each is drawn.
PAIRS = {"phrase": 4, "cross": 3, "split": 3, "line": 1, "paragraph": 1.5, "heading": 0.5}
TRANSLATIONS = {"software": 3, "translation": 2}
MAX_CHARACTERS = 600
# Share of ASCII from which a text is English, if no language is known.
ENGLISH = 0.97


def read_lines(file):
    with open(file) as lines:
        return [json.loads(line) for line in lines]


class Examples:
    def __init__(self, folder, seed=1):
        self.texts, numbers = [], {}

        def number(text):
            text = text[:MAX_CHARACTERS]
            if text not in numbers:
                numbers[text] = len(self.texts)
                self.texts.append(text)
            return numbers[text]

        skills = read_lines(folder / "skills.jsonl")
        self.skills = [[number(text) for text in skill["texts"]] for skill in skills]
        self.held_out = np.array([zlib.crc32(skill["origin"].encode()) % HELD == 0 for skill in skills])
        self.messages, self.near, pairs, held, foreign = defaultdict(list), defaultdict(list), defaultdict(list), [], set()
        for example in read_lines(folder / "examples.jsonl"):
            kind, skill, language = example["kind"], example.get("skill", -1), example.get("language") or ""
            text, other = number(example["text"]), number(example["other"]) if "other" in example else -1
            if language not in ("", "en"):
                foreign.add(text)
            if skill >= 0 and self.held_out[skill]:
                if kind == "message":
                    held.append((text, skill, language))
            elif kind == "near":
                self.near[skill].append((text, other))
            else:
                pairs[kind].append((text, other, skill))
                if kind == "message":
                    self.messages[skill].append((text, language))
        self.pairs = {kind: np.array(rows) for kind, rows in pairs.items()}
        ascii_share = np.array([sum(map(str.isascii, text)) / max(1, len(text)) for text in self.texts])
        self.english = ascii_share >= ENGLISH
        self.english[list(foreign)] = False
        # The skills that have messages, and the skills that the held-out messages are ranked against.
        self.known = sorted(self.messages)
        others = np.random.default_rng(1).permutation(self.known).tolist()
        self.candidates = (sorted({skill for _, skill, _ in held}) + others)[:CANDIDATES]
        places = {skill: place for place, skill in enumerate(self.candidates)}
        self.held = np.array([text for text, _, _ in held])
        self.held_languages = np.array([language for _, _, language in held])
        self.held_places = np.array([places[skill] for _, skill, _ in held])
        self.random = np.random.default_rng(seed)

    def draw_kind(self, kinds):
        shares = np.array(list(kinds.values()), float)
        return list(kinds)[self.random.choice(len(kinds), p=shares / shares.sum())]

    def draw_pairs(self, kinds, count, english=False):
        """Rows of text, other text and skill, of one kind."""
        rows = self.pairs[self.draw_kind(kinds)]
        if english:
            rows = rows[self.english[rows[:, 0]] & self.english[rows[:, 1]]]
        return rows[self.random.integers(len(rows), size=count)]

    def some(self, list_, most):
        return [list_[place] for place in self.random.permutation(len(list_))[:most]]
