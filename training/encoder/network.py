"""A transformer over pieces of text: the student, and both teachers."""

import math

import torch
from quantize import rounded
from torch import nn
from torch.nn import functional as F

POSITIONS = 128


class Linear(nn.Linear):
    four_bits = False

    def forward(self, x):
        return F.linear(x, rounded(self.weight) if self.four_bits else self.weight, self.bias)


class Layer(nn.Module):
    def __init__(self, width, heads, inner, epsilon, dropout):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = Linear(width, 3 * width), Linear(width, width)
        self.up, self.down = Linear(width, inner), Linear(inner, width)
        self.norm1, self.norm2 = nn.LayerNorm(width, epsilon), nn.LayerNorm(width, epsilon)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, bias):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(q, k, v, attn_mask=bias.to(q.dtype))
        x = self.norm1(x + self.dropout(self.out(seen.transpose(1, 2).reshape(batch, length, width))))
        return self.norm2(x + self.dropout(self.down(F.gelu(self.up(x)))))


class Network(nn.Module):
    """The vectors of pieces (`words`) do not learn: four bits already, and what a teacher knows of nine languages stays.

    weights: of the network, by the names of its parameters. `distances`, if present, are those of mpnet: a bias for each head by the distance
    of two pieces, in buckets (T5, Raffel et al. 2020).
    """

    def __init__(self, weights, epsilon=1e-12, dropout=0.0, heads=12):
        super().__init__()
        width, inner = weights["words"].shape[1], len(weights["layers.0.up.bias"])
        layers = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("layers."))
        self.width = width
        self.register_buffer("words", torch.zeros_like(weights["words"]))
        self.positions = nn.Parameter(torch.zeros(POSITIONS, width))
        self.norm = nn.LayerNorm(width, epsilon)
        self.layers = nn.ModuleList(Layer(width, heads, inner, epsilon, dropout) for _ in range(layers))
        self.distances = nn.Parameter(torch.zeros_like(weights["distances"])) if "distances" in weights else None
        self.register_buffer("buckets", buckets_of_distances(), persistent=False)
        self.load_state_dict(weights)

    def forward(self, ids, mask):
        """Vectors of unit length: the mean of the last layer over the pieces."""
        length = ids.shape[1]
        x = self.norm(F.embedding(ids, self.words) + self.positions[:length])
        bias = torch.zeros(mask.shape, device=x.device).masked_fill(~mask, -1e4)[:, None, None, :].expand(-1, 1, length, -1)
        if self.distances is not None:
            bias = bias + self.distances[self.buckets[:length, :length]].permute(2, 0, 1)
        for layer in self.layers:
            x = layer(x, bias)
        weights = mask[..., None].float()
        return F.normalize((x.float() * weights).sum(1) / weights.sum(1), dim=1)

    def use_four_bits(self):
        for module in self.modules():
            if isinstance(module, Linear):
                module.four_bits = True


def buckets_of_distances(near=8, most=128, buckets=16):
    """The bucket of the distance of two pieces: one for each short distance, then in steps that grow."""
    places = torch.arange(POSITIONS)
    distance = places[:, None] - places
    far = near + ((distance.abs().clamp(min=1) / near).log() / math.log(most / near) * (buckets - near)).long()
    sizes = torch.where(distance.abs() < near, distance.abs(), far.clamp(max=buckets - 1))
    return sizes + buckets * (distance < 0)
