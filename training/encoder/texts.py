"""Texts as pieces, and pieces as vectors. Texts are numbers: their places in `Examples.texts`."""

import numpy as np
import torch

MESSAGE, SKILL = 0, 1
PREFIXES = ("query:", "passage:")
# Pieces of a message and of a skill that training reads.
MOST = (48, 80)
# Texts of a pass that learns, and of one that does not.
PASS, FAST_PASS = (256, 128), 1024


class Texts:
    """The pieces of all texts, one behind the other. Special pieces: the ones at the begin and end of a text, and padding."""

    def __init__(self, texts, tokenizer, device, prefixes=PREFIXES, special=(0, 2, 1)):
        tokenizer.no_padding()
        tokenizer.no_truncation()
        self.device, self.special = device, special
        self.prefixes = [tokenizer.encode(prefix, add_special_tokens=False).ids for prefix in prefixes]
        rows = [encoding.ids[: max(MOST)] for encoding in tokenizer.encode_batch(texts, add_special_tokens=False)]
        self.lengths = np.array([len(row) for row in rows])
        self.starts = np.cumsum(self.lengths) - self.lengths
        self.pieces = torch.tensor([piece for row in rows for piece in row], device=device)

    def batch(self, numbers, kind):
        """Pieces of some texts with their prefix, and which of them are no padding."""
        begin, end, padding = self.special
        head = torch.tensor([begin, *self.prefixes[kind]], device=self.device)
        lengths = np.minimum(self.lengths[numbers], MOST[kind] - 1 - len(head))
        # A multiple of eight is faster on a GPU.
        width = min(MOST[kind], -(-(int(lengths.max()) + len(head) + 1) // 8) * 8)
        lengths, starts = torch.from_numpy(np.stack([lengths, self.starts[numbers]])).to(self.device)
        place = torch.arange(width, device=self.device) - len(head)
        ids = self.pieces[(starts[:, None] + place.clamp(0)).clamp(max=len(self.pieces) - 1)]
        ids = torch.where(place < lengths[:, None], ids, torch.where(place == lengths[:, None], end, padding))
        ids[:, : len(head)] = head
        return ids, place <= lengths[:, None]


class Encoder:
    def __init__(self, network, texts, device):
        self.network, self.texts, self.device = network.to(device), texts, device

    def vectors(self, numbers, kind, size=None):
        """Vectors of texts. Texts of similar length share a pass, because a pass is padded to its longest text."""
        numbers = np.asarray(numbers)
        order = np.argsort(self.texts.lengths[numbers], kind="stable")
        parts = np.array_split(order, max(1, len(order) // (size or PASS[kind])))
        with torch.autocast(self.device, torch.bfloat16, enabled=can_use_bfloat16(self.device)):
            found = torch.cat([self.network(*self.texts.batch(numbers[part], kind)) for part in parts])
        return found[torch.from_numpy(np.argsort(order)).to(self.device)]

    @torch.no_grad()
    def encode(self, numbers, kind):
        """Vectors that do not learn, as 16-bit numbers."""
        training = self.network.training
        self.network.eval()
        found = self.vectors(numbers, kind, FAST_PASS).half() if len(numbers) else torch.zeros(0, self.network.width).half().to(self.device)
        self.network.train(training)
        return found


class Remembered:
    """Vectors of messages by a teacher that does not learn any more. Each is computed when it is first asked for."""

    def __init__(self, encoder):
        self.encoder = encoder
        count = len(encoder.texts.lengths)
        self.vectors = torch.zeros(count, encoder.network.width, dtype=torch.float16, device=encoder.device)
        self.known = np.zeros(count, bool)

    def of(self, numbers):
        missing = np.unique(numbers[~self.known[numbers]])
        self.vectors[torch.from_numpy(missing).to(self.encoder.device)] = self.encoder.encode(missing, MESSAGE)
        self.known[missing] = True
        return self.vectors[torch.from_numpy(numbers).to(self.encoder.device)].float()


def can_use_bfloat16(device):
    """False for a processor that would only emulate it."""
    return device != "cpu" or torch.cpu._is_avx512_bf16_supported()
