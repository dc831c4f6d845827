"""Trains the rows of the bundled model: python3 train.py FOLDER [--runs N] [--steps N] [--seed N]

FOLDER has the files that encode.ts writes; the result is FOLDER/table.bin, f32, a row of `--dimensions` numbers for each term.

The vector of a text is the sum of the rows of its terms. Three losses:
- contrast: the two texts of a pair are nearer to each other than to the other texts of the batch (symmetric InfoNCE, van den Oord et al.
  2018; temperature 1/20);
- direction: the vector of a text points where the vector of the first teacher points, in its first principal components. For a text and its
  translation, both aim at the mean of the two;
- places: a text has the same similarities to the skills of the batch as by the encoder (Kullback-Leibler divergence of their softmax, by
  text and by skill). A translation has those of its English line.
Rows start at the first teacher's vectors of their terms. Words are replaced by their stems at random, so that stems learn too.
The result is the mean of several runs, which differ in the batches they draw: what batches leave by chance in the rows of rare terms cancels
out.

Pairs of the kind `held-out` are not learned: how often their skill is found by the vector alone is printed.
"""

import argparse
import json
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import optax
from teachers import MESSAGE, SKILL, read_encoder, read_first

parser = argparse.ArgumentParser()
parser.add_argument("folder", type=Path)
parser.add_argument("--dimensions", type=int, default=128)
parser.add_argument("--runs", type=int, default=3)
parser.add_argument("--steps", type=int, default=4000)
parser.add_argument("--batch", type=int, default=512)
parser.add_argument("--rate", type=float, default=0.003)
parser.add_argument("--direction-weight", type=float, default=2)
parser.add_argument("--places-weight", type=float, default=4)
parser.add_argument("--stem-share", type=float, default=0.15)
parser.add_argument("--seed", type=int, default=1)
options = parser.parse_args()

# How often a pair of each kind is drawn. Messages are nearest to what the model is for.
WEIGHTS = {
    "paragraph": 0.7, "phrase": 2, "translation": 0.6, "gloss": 0.5, "synonym": 0.5, "software": 1.2, "sense": 0.3, "word": 1.5, "message": 20,
}  # fmt: skip
TRANSLATIONS = ("software", "translation", "sense", "word")
# Kinds whose texts have a direction; whose first, or second, text has places; and whose second text is a skill.
DIRECTED = ("message", "software", "name", "phrase", "word")
PLACED_FIRST = ("message", "phrase", "heading", "cross", "split")
PLACED_SECOND = ("software", "word", "gloss")
OF_SKILLS = ("message", "phrase", "heading", "cross", "paragraph", "line")
MAX_TERMS = 64
# Scales of the cosines of the model and of the encoder.
SCALE, ENCODER_SCALE = 20.0, 25.0


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
kind, first, second = pairs[:, 0], pairs[:, 1], pairs[:, 2]
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


def is_of(*names):
    """Whether each pair is of one of these kinds."""
    return np.isin(kind, [kinds.index(name) for name in names])


def vectors_of(numbers, encode, width):
    """Vectors of some texts, and the place of each text among them; -1 for others."""
    numbers = np.unique(numbers)
    place = np.full(len(texts), -1)
    place[numbers] = np.arange(len(numbers))
    return encode([texts[number] for number in numbers]) if len(numbers) else np.zeros((0, width)), place


teach, encode = read_first(options.folder), read_encoder(options.folder)
targets, target_of = vectors_of(pairs[is_of(*DIRECTED), 1:3], teach, 512)
words = teach([term.rstrip("*") for term in terms]).astype(np.float32)
asked = np.concatenate([first[is_of(*PLACED_FIRST)], second[is_of(*PLACED_SECOND)]])
queries, query_of = vectors_of(asked, lambda some: encode(some, MESSAGE), 384)
skills, skill_of = vectors_of(second[is_of(*OF_SKILLS)], lambda some: encode(some, SKILL), 384)

# The first teacher's principal components.
sample = targets[random.choice(len(targets), min(len(targets), 20_000), replace=False)].astype(np.float32)
mean = sample.mean(0)
_, directions = np.linalg.eigh(np.cov((sample - mean).T))
basis = directions[:, ::-1][:, : options.dimensions].astype(np.float32)


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True).clip(1e-6)


counts = np.bincount(rows.ravel(), minlength=padding + 1)[:padding]
rarity = np.log(1 + len(texts) / (counts + 1))
table = unit((words - words.mean(0)) @ basis) * (rarity / rarity.max())[:, None]
beginning = jnp.array(np.concatenate([table, np.zeros((1, options.dimensions))]).astype(np.float32))

held = is_of("held-out")
train = np.flatnonzero(~held)
weights = np.array([WEIGHTS.get(kinds[one], 1) for one in kind[train]])
cumulative = np.cumsum(weights / weights.sum())
is_translation = is_of(*TRANSLATIONS)
# The vectors by which the text of a pair, and its skill, have places.
query = np.where(is_of(*PLACED_FIRST), query_of[first], np.where(is_of(*PLACED_SECOND), query_of[second], -1))
skill = np.where(is_of(*OF_SKILLS), skill_of[second], -1)
# Of a lemma and its gloss, the gloss has places: a lemma has several meanings.
is_gloss = is_of("gloss")


def directions_of(numbers):
    known = target_of[numbers] >= 0
    vectors = np.zeros((len(numbers), options.dimensions), np.float32)
    vectors[known] = unit((targets[target_of[numbers[known]]].astype(np.float32) - mean) @ basis)
    return vectors, known.astype(np.float32)


def draw():
    chosen = train[np.searchsorted(cumulative, random.random(options.batch)).clip(max=len(train) - 1)]
    left, right = first[chosen], second[chosen]

    def rows_of(numbers):
        some = rows[numbers]
        return np.where(random.random(some.shape) < options.stem_share, stems[numbers], some)

    (a, know_a), (b, know_b) = directions_of(left), directions_of(right)
    both = is_translation[chosen] & (know_a * know_b > 0)
    middle = unit(a + b)
    a, b = np.where(both[:, None], middle, a), np.where(both[:, None], middle, b)
    places = ENCODER_SCALE * queries[query[chosen]].astype(np.float32) @ skills[skill[chosen]].astype(np.float32).T
    return {
        "left": rows_of(left), "right": rows_of(right), "a": a, "b": b, "know_a": know_a, "know_b": know_b,
        "same": (pairs[chosen, 3][:, None] == pairs[chosen, 3]) | (right[:, None] == right),
        "places": places, "is_placed": query[chosen] >= 0, "is_skill": skill[chosen] >= 0, "is_gloss": is_gloss[chosen],
    }  # fmt: skip


def normal(vectors):
    return vectors / (jnp.linalg.norm(vectors, axis=-1, keepdims=True) + 1e-6)


def divergence(goal, ours, use, among, axis):
    """Of the rows (axis 1) or columns (axis 0) to use, among some columns or rows."""
    never = jnp.expand_dims(jnp.where(among, 0, -1e4), 1 - axis)
    shares = jax.nn.softmax(goal + never, axis)
    each = (shares * (jnp.log(shares + 1e-9) - jax.nn.log_softmax(ours + never, axis))).sum(axis)
    return (each * use).sum() / (use.sum() + 1)


def loss(table, batch):
    x, y = normal(table[batch["left"]].sum(1)), normal(table[batch["right"]].sum(1))
    cosines = SCALE * x @ y.T
    others = jnp.where(batch["same"] & ~jnp.eye(len(x), dtype=bool), -1e4, cosines)
    contrast = -(jnp.diag(jax.nn.log_softmax(others, 1)) + jnp.diag(jax.nn.log_softmax(others, 0))).mean() / 2
    know_a, know_b = batch["know_a"], batch["know_b"]
    far = (1 - (x * batch["a"]).sum(1)) * know_a + (1 - (y * batch["b"]).sum(1)) * know_b
    direction = far.sum() / (know_a.sum() + know_b.sum() + 1)
    ours = jnp.where(batch["is_gloss"][:, None], SCALE * y @ y.T, cosines)
    goal, is_placed, is_skill = batch["places"], batch["is_placed"], batch["is_skill"]
    places = (divergence(goal, ours, is_placed, is_skill, 1) + divergence(goal, ours, is_skill, is_placed, 0)) / 2
    return contrast + options.direction_weight * direction + options.places_weight * places


optimizer = optax.adam(optax.cosine_decay_schedule(options.rate, options.steps, 0.05))


@jax.jit
def step(table, state, batch):
    value, gradient = jax.value_and_grad(loss)(table, batch)
    updates, state = optimizer.update(gradient.at[padding].set(0.0), state)
    return optax.apply_updates(table, updates), state, value


def measure(table):
    """Share of held-out messages whose skill is first, and among the first five, of all held-out skills."""
    some = pairs[held]
    candidates, right = np.unique(some[:, 2], return_inverse=True)
    scores = unit(table[rows[some[:, 1]]].sum(1)) @ unit(table[rows[candidates]].sum(1)).T
    ranks = (scores > scores[np.arange(len(some)), right][:, None]).sum(1)
    return f"{(ranks < 1).mean():.3f}/{(ranks < 5).mean():.3f} of {len(some)} held-out messages, {len(candidates)} skills"


def report(line, table):
    print(f"{line}, {measure(np.asarray(table))}" if held.any() else line, flush=True)


def train_once(run):
    table, state = beginning, optimizer.init(beginning)
    began, losses = time.time(), []
    for number in range(1, options.steps + 1):
        table, state, value = step(table, state, draw())
        losses.append(float(value))
        if number % 250 == 0 or number == options.steps:
            line = f"run {run}: {number}/{options.steps} steps, loss {np.mean(losses[-250:]):.3f}, {time.time() - began:.0f} s"
            report(line, table)
    return np.asarray(table)


print(f"{len(pairs)} pairs, {len(texts)} texts, {len(targets)} with directions, {len(queries)} with places, {len(terms)} terms", flush=True)
table = sum(train_once(run) for run in range(1, options.runs + 1)) / options.runs
report(f"the mean of {options.runs} runs", table)
table[:padding].astype(np.float32).tofile(options.folder / "table.bin")
