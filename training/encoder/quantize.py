"""Few bits a weight: whole numbers in blocks that share a scale."""

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
