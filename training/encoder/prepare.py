"""Makes what training starts from: python3 prepare.py FOLDER [--pieces N]

FOLDER has the examples that examples.ts writes. Added are both teachers, their weights with four bits, the tokenizers, and `twins.npz`,
pairs of skills that do the same. Training then reads FOLDER alone: it can be copied to another machine, and packed it has about 100 MB.
"""

import argparse
from pathlib import Path

import numpy as np
from english import read_english
from examples import Examples
from network import Network
from quantize import save
from teacher import Teacher
from texts import PREFIXES, SKILL, Encoder, Texts
from vocabulary import choose_pieces, make_tokenizer, write_tokenizer

# Cosine of the teacher from which two skills do the same.
TWINS = 0.905


def texts_to_count(examples):
    """(text, weight): languages with little material weigh more."""
    texts = examples.texts
    yield " ".join(PREFIXES), 1e6
    for skill in examples.skills:
        yield from ((texts[text], 1) for text in skill)
    for skill in examples.known:
        yield from ((texts[text], 5) for text, _ in examples.messages[skill] + examples.near[skill])
    yield from ((texts[text], 2) for text, _, _ in examples.pairs["software"][::3])
    for kind in ("cross", "phrase", "paragraph"):
        yield from ((texts[text], 1) for text, _, _ in examples.pairs[kind][::4])


def find_twins(teacher, examples):
    """Pairs of skills with messages that the teacher, with all its pieces, takes for the same."""
    texts = [examples.texts[examples.skills[skill][0]] for skill in examples.known]
    pieces = Texts(texts, make_tokenizer(list(zip(teacher.pieces, teacher.scores))), "cpu")
    vectors = Encoder(Network(teacher.weights(range(teacher.vocabulary))), pieces, "cpu").encode(np.arange(len(texts)), SKILL).float()
    return np.argwhere((vectors @ vectors.T > TWINS).numpy())


def main(folder, pieces):
    examples, teacher = Examples(folder), Teacher()
    kept = choose_pieces(teacher, list(texts_to_count(examples)), pieces)
    write_tokenizer(make_tokenizer([(teacher.pieces[number], round(teacher.scores[number], 2)) for number in kept]), folder / "nine.json")
    save(teacher.weights(kept), folder / "nine.npz")
    weights, tokenizer = read_english()
    write_tokenizer(tokenizer, folder / "english.json")
    save(weights, folder / "english.npz")
    np.savez_compressed(folder / "twins.npz", pairs=find_twins(teacher, examples).astype(np.int32))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pieces", type=int, default=44_000)
    options = parser.parse_args()
    main(options.folder, options.pieces)
