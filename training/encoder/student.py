"""The student: six layers of the teacher over a cut vocabulary.

The matrices keep the teacher's four bits. What is learned is added to each as a product of two narrow ones (LoRA, Hu et al. 2021): moved
directly, most weights would be rounded back to where they began.
"""

import torch
from torch import nn
from torch.nn import functional as F

LAYERS = (0, 2, 4, 6, 8, 10)
POSITIONS = 128
RANK = 32
HEADS = 12


class Linear(nn.Module):
    def __init__(self, inputs, outputs, rank=RANK):
        super().__init__()
        self.register_buffer("weight", torch.zeros(outputs, inputs))
        self.bias = nn.Parameter(torch.zeros(outputs))
        self.narrow = nn.Parameter(torch.randn(rank, inputs) * inputs**-0.5)
        self.wide = nn.Parameter(torch.zeros(outputs, rank))

    def forward(self, x):
        return F.linear(x, self.weight, self.bias) + F.linear(F.linear(x, self.narrow), self.wide)


class Layer(nn.Module):
    def __init__(self, width, heads, inner, epsilon):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = Linear(width, 3 * width), Linear(width, width)
        self.up, self.down = Linear(width, inner), Linear(inner, width)
        self.norm1, self.norm2 = nn.LayerNorm(width, epsilon), nn.LayerNorm(width, epsilon)

    def forward(self, x, bias):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        # For texts this short, twice as fast on a processor as scaled_dot_product_attention.
        seen = (q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5 + bias).softmax(-1) @ v
        x = self.norm1(x + self.out(seen.transpose(1, 2).reshape(batch, length, width)))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


class Student(nn.Module):
    """The vectors of pieces keep the teacher's values: four bits already, and what the teacher knows of nine languages stays."""

    def __init__(self, words, heads, inner, layers=len(LAYERS), positions=POSITIONS, epsilon=1e-12):
        super().__init__()
        width = words.shape[1]
        self.register_buffer("words", words)
        self.positions = nn.Parameter(torch.zeros(positions, width))
        self.norm = nn.LayerNorm(width, epsilon)
        self.layers = nn.ModuleList(Layer(width, heads, inner, epsilon) for _ in range(layers))

    def forward(self, ids, mask):
        """Vectors of unit length: the mean of the last layer over the pieces."""
        x = self.norm(F.embedding(ids, self.words) + self.positions[: ids.shape[1]])
        bias = torch.zeros(mask.shape, dtype=x.dtype, device=x.device).masked_fill(~mask, -1e4)[:, None, None, :]
        for layer in self.layers:
            x = layer(x, bias)
        weights = mask[..., None].float()
        return F.normalize((x.float() * weights).sum(1) / weights.sum(1), dim=1)


def from_weights(weights):
    """The student of the weights that `export.read` returns."""
    student = Student(weights["words"], HEADS, weights["layers.0.up.bias"].shape[0])
    student.load_state_dict(weights)
    return student


def from_teacher(teacher, kept, layers=LAYERS, positions=POSITIONS):
    """The teacher's layers as a student. `kept`: the numbers of the pieces."""
    width, inner = teacher.width, teacher.inner
    words = torch.tensor(teacher.matrix("emb.word", teacher.vocabulary, width)[kept])
    student = Student(words, teacher.heads, inner, len(layers), positions, teacher.epsilon)
    state = {"words": words}
    # Every piece has the same type, so its vector is part of the positions.
    types = teacher.floats("emb.type").reshape(teacher.types, width)[0]
    state["positions"] = torch.tensor(teacher.floats("emb.pos").reshape(-1, width)[:positions] + types)

    def put(name, parts, shape=None):
        arrays = [teacher.matrix(part, *shape) if shape else teacher.floats(part) for part in parts]
        state[name] = torch.cat([torch.tensor(array) for array in arrays])

    for ours, theirs in [("norm", "emb.ln"), *(
        (f"layers.{index}.{norm}", f"l{layer}.{short}")
        for index, layer in enumerate(layers)
        for norm, short in (("norm1", "aln"), ("norm2", "oln"))
    )]:
        put(f"{ours}.weight", [f"{theirs}.w"])
        put(f"{ours}.bias", [f"{theirs}.b"])
    shapes = {"qkv": ("qkv", (width, width)), "out": (["ao"], (width, width)), "up": (["fi"], (inner, width)), "down": (["fo"], (width, inner))}
    for index, layer in enumerate(layers):
        for name, (parts, shape) in shapes.items():
            put(f"layers.{index}.{name}.weight", [f"l{layer}.{part}.w" for part in parts], shape)
            put(f"layers.{index}.{name}.bias", [f"l{layer}.{part}.b" for part in parts])
    student.load_state_dict(state, strict=False)
    return student
