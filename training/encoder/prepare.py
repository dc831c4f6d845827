"""Makes what training starts from: python3 prepare.py FOLDER [--pieces N]

FOLDER has the examples that examples.ts writes. Added are `start/`, the untrained student as export.py writes it, and `twins.npz`, pairs of
skills that do the same. Training then reads FOLDER alone: it can be copied to another machine, and packed it has about 50 MB.
"""

import argparse
from pathlib import Path

import numpy as np
import torch
from examples import Examples
from export import write
from student import from_teacher
from teacher import Teacher
from texts import MESSAGE, SKILL, SKILL_PIECES, Encoder, precision
from vocabulary import choose_pieces, make_tokenizer

# Cosine of the teacher from which two skills do the same.
TWINS = 0.905


def texts_to_count(examples):
    """(text, weight): languages with little material weigh more."""
    yield (MESSAGE + SKILL).strip(), 1e6
    for skill in examples.skills:
        yield from ((text, 1) for text in skill["texts"])
    for skill in examples.known:
        yield from ((text, 5) for text in examples.messages[skill])
        yield from ((text, 5) for text, _ in examples.near[skill])
    for pair in examples.pairs["software"][::3]:
        yield pair["text"], 1 if pair["language"] in ("zh", "ko") else 2
    for kind in ("cross", "phrase", "paragraph"):
        yield from ((pair["text"], 1) for pair in examples.pairs[kind][::4])


def find_twins(teacher, examples):
    """Pairs of skills with messages that the teacher, with all its layers and pieces, takes for the same."""
    whole = from_teacher(teacher, list(range(teacher.vocabulary)), range(teacher.layers)).to(precision())
    encoder = Encoder(whole, make_tokenizer(list(zip(teacher.pieces, teacher.scores))))
    vectors = encoder.encode([examples.skills[skill]["texts"][0] for skill in examples.known], SKILL, SKILL_PIECES, 64)
    return np.argwhere((vectors @ vectors.T > TWINS).numpy())


def main(folder, pieces):
    examples, teacher = Examples(folder, 1), Teacher()
    kept = choose_pieces(teacher, list(texts_to_count(examples)), pieces)
    tokenizer = make_tokenizer([(teacher.pieces[number], round(teacher.scores[number], 2)) for number in kept])
    torch.manual_seed(1)
    write(from_teacher(teacher, kept).state_dict(), tokenizer, folder / "start")
    np.savez_compressed(folder / "twins.npz", pairs=find_twins(teacher, examples).astype(np.int32))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pieces", type=int, default=44_000)
    options = parser.parse_args()
    main(options.folder, options.pieces)
