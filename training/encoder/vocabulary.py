"""Cuts the vocabulary of the teacher to the pieces that skills and messages use.

Words of removed pieces are cut into smaller ones. All single characters of the material stay, so that few texts have unknown pieces.
"""

import json
from collections import Counter

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
BATCH = 4000


def make_tokenizer(pieces):
    """A tokenizer of (piece, score), the special ones first."""
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=3, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    tokenizer.add_special_tokens([AddedToken(piece, special=True, normalized=False) for piece in SPECIAL])
    return tokenizer


def choose_pieces(teacher, texts, size):
    """The numbers of the pieces to keep.

    texts: (text, weight); the weight makes up for languages with little material.
    """
    tokenizer = make_tokenizer(list(zip(teacher.pieces, teacher.scores)))
    numbers = {piece: number for number, piece in enumerate(teacher.pieces)}
    counts = Counter()
    for at in range(0, len(texts), BATCH):
        some = texts[at : at + BATCH]
        for (_, weight), encoding in zip(some, tokenizer.encode_batch([text for text, _ in some], add_special_tokens=False)):
            for number in encoding.ids:
                counts[number] += weight
    characters = Counter(character for text, weight in texts for character in text if weight > 0)
    kept = {numbers[piece] for piece in SPECIAL}
    kept.update(numbers[c] for c, count in characters.items() if count >= 3 and c in numbers)
    total = sum(counts.values())
    for number, _ in counts.most_common():
        if len(kept) >= size:
            break
        kept.add(number)
    print(f"{len(kept)} pieces cover {sum(counts[n] for n in kept) / total:.4f} of {len(counts)} that occur", flush=True)
    # Special pieces first, in the order of SPECIAL; the others as in the teacher, from common to rare.
    special = [numbers[piece] for piece in SPECIAL]
    return special + sorted(kept - set(special))


def write_tokenizer(tokenizer, file):
    """Without spaces and line breaks it is a quarter smaller."""
    file.write_text(json.dumps(json.loads(tokenizer.to_str()), ensure_ascii=False, separators=(",", ":")))
