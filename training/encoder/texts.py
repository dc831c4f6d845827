"""Texts as pieces, and pieces as vectors."""

import numpy as np
import torch

MESSAGE, SKILL = "query: ", "passage: "
MESSAGE_PIECES, SKILL_PIECES = 48, 64


def precision(device="cpu"):
    """The type of the arithmetic: bfloat16, or 32 bits on a processor that would only emulate it."""
    emulated = device == "cpu" and not torch.cpu._is_avx512_bf16_supported()
    return torch.float32 if emulated else torch.bfloat16


class Encoder:
    def __init__(self, model, tokenizer, device="cpu"):
        self.model, self.tokenizer, self.device = model.to(device), tokenizer, device
        self.known = {}

    def pieces(self, text, most):
        """Keeps the pieces of a text, because training reads it many times."""
        ids = self.known.get(text)
        if ids is None:
            ids = self.known[text] = np.array(self.tokenizer.encode(text).ids, np.int32)
        return ids if len(ids) <= most else np.append(ids[: most - 1], 2)

    def vectors(self, rows, passes=4):
        """Vectors of rows of pieces. Rows of similar length share a pass, because a pass is padded to its longest row."""
        order = np.argsort([len(row) for row in rows], kind="stable")
        parts = [self.model(*self.pad([rows[index] for index in some])) for some in np.array_split(order, min(passes, len(rows)))]
        back = np.empty(len(order), np.int64)
        back[order] = np.arange(len(order))
        return torch.cat(parts)[torch.from_numpy(back).to(self.device)]

    @torch.no_grad()
    def encode(self, texts, prefix, most, batch=128):
        rows = [self.pieces(prefix + text, most) for text in texts]
        return self.vectors(rows, max(1, len(rows) // batch))

    def pad(self, rows):
        ids = np.ones((len(rows), max(map(len, rows))), np.int64)
        mask = np.zeros(ids.shape, bool)
        for index, row in enumerate(rows):
            ids[index, : len(row)] = row
            mask[index, : len(row)] = True
        return torch.from_numpy(ids).to(self.device), torch.from_numpy(mask).to(self.device)
