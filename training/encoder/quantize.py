"""Few bits a weight: whole numbers in blocks that share a scale."""

import numpy as np
import torch

BLOCK = 32


def quantize(weights, bits=4, block=BLOCK):
    """Numbers from 0, and the scales of their blocks: weight = (number - middle) * scale.

    The weight farthest from zero becomes the lowest number, which has no opposite, so a scale may be negative. For weights that came out of
    this function, both are exact.
    """
    middle = 2 ** (bits - 1)
    blocks = weights.reshape(-1, block)
    scales = (blocks.gather(1, blocks.abs().argmax(1, keepdim=True)) / -middle).half()
    divisors = torch.where(scales == 0, 1, scales).float()
    numbers = (blocks / divisors).round().clamp(-middle, middle - 1) + middle
    return numbers.to(torch.uint8).reshape(weights.shape), scales.reshape(len(weights), -1)


def restore(numbers, scales, bits=4):
    """The weights of whole numbers."""
    blocks = (numbers.reshape(*scales.shape, -1).float() - 2 ** (bits - 1)) * scales.float()[..., None]
    return blocks.reshape(numbers.shape)


def rounded(weights):
    """Weights as four bits keep them. They learn as if they were not rounded (straight-through, Bengio et al. 2013)."""
    return weights + (restore(*quantize(weights.detach())) - weights).detach()


def save(weights, file):
    """Writes weights: those of matrices and the vectors of pieces with four bits, the others as they are."""
    arrays = {}
    for name, value in weights.items():
        if name == "words" or (name.endswith(".weight") and value.dim() == 2):
            numbers, scales = quantize(value)
            arrays[f"{name}.numbers"] = (numbers[:, ::2] | numbers[:, 1::2] << 4).numpy()
            arrays[f"{name}.scales"] = scales.numpy()
        else:
            arrays[name] = value.numpy()
    np.savez(file, **arrays)


def load(file):
    """Reads weights that `save` wrote."""
    arrays = {name: torch.from_numpy(value) for name, value in np.load(file).items()}
    weights = {}
    for name, value in arrays.items():
        base, _, part = name.rpartition(".")
        if part == "numbers":
            numbers = torch.stack([value & 15, value >> 4], 2).reshape(len(value), -1)
            weights[base] = restore(numbers, arrays[f"{base}.scales"])
        elif part != "scales":
            weights[name] = value.float()
    return weights
