"""The examples of a folder, and the batches that are drawn from them."""

import json
import zlib
from collections import defaultdict

import numpy as np

# One owner of this many is held out, with all skills and examples.
HELD = 33
# How many skills the held-out messages are ranked against.
CANDIDATES = 500
PAIRS = {"phrase": 4, "cross": 3, "split": 3, "line": 1, "paragraph": 1.5, "heading": 0.5}
TRANSLATIONS = {"software": 2, "translation": 1}


def read_lines(file):
    with open(file) as lines:
        return [json.loads(line) for line in lines]


class Examples:
    def __init__(self, folder, seed):
        self.skills = read_lines(folder / "skills.jsonl")
        held = [zlib.crc32(skill["origin"].encode()) % HELD == 0 for skill in self.skills]
        self.messages, self.near, self.pairs, self.held = defaultdict(list), defaultdict(list), defaultdict(list), []
        for example in read_lines(folder / "examples.jsonl"):
            skill, kind = example.get("skill"), example["kind"]
            if skill is not None and held[skill]:
                if kind == "message":
                    self.held.append(example)
            elif kind == "message":
                self.messages[skill].append(example["text"])
            elif kind == "near":
                self.near[skill].append((example["text"], example["other"]))
            else:
                self.pairs[kind].append(example)
        self.random = np.random.default_rng(seed)
        # The skills that have messages, and the place of each among them.
        self.known = sorted(self.messages)
        self.place = {skill: place for place, skill in enumerate(self.known)}
        others = np.random.default_rng(1).permutation(self.known).tolist()
        own = sorted({example["skill"] for example in self.held})
        self.candidates = (own + others)[:CANDIDATES]

    def text_of(self, skill):
        """One of the texts of a skill; a translation is one."""
        return self.random.choice(self.skills[skill]["texts"])

    def messages_of(self, skill, most):
        return self.random.permutation(self.messages[skill])[:most].tolist()

    def draw_pairs(self, kinds, count):
        """Pairs of one kind."""
        shares = np.array(list(kinds.values()), float)
        kind = list(kinds)[self.random.choice(len(kinds), p=shares / shares.sum())]
        some = self.pairs[kind]
        return [some[index] for index in self.random.integers(len(some), size=count)]
