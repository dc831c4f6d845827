"""Trains the encoder: python3 train.py FOLDER TARGET [--minutes N] [--seed N] [--device cuda] [--resume]

FOLDER has the examples and what prepare.py makes of them. TARGET gets the encoder, and again at every checkpoint. The state of a checkpoint
is FOLDER/checkpoint.pt. `--resume` goes on from there. To stop, write a file FOLDER/stop or send SIGTERM. `--from` starts with the weights
of an earlier TARGET instead of FOLDER/start.

A step is one of three:
- messages of skills, and their near misses, against skills. Two thirds of the skills of a batch are among the nearest of the others, and
  every message is also compared with the last known vector of each skill. Skills that do the same are no negatives of each other;
- mined phrases, lines and halves of descriptions against skills;
- lines of software and their translations.
Arithmetic is in bfloat16 where the processor has it. The weights that learn have 32 bits.
"""

import argparse
import signal
import time
from pathlib import Path

import numpy as np
import torch
from examples import PAIRS, TRANSLATIONS, Examples
from export import read, write
from losses import contrast, contrast_groups, gather_messages
from student import from_weights
from texts import MESSAGE, MESSAGE_PIECES, SKILL, SKILL_PIECES, Encoder, precision

parser = argparse.ArgumentParser()
parser.add_argument("folder", type=Path)
parser.add_argument("target", type=Path)
parser.add_argument("--minutes", type=float, default=240)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--rate", type=float, default=7e-4)
parser.add_argument("--device", default="cpu")
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--skills", type=int, default=14, help="skills drawn for a step; each comes with two near ones")
parser.add_argument("--checkpoint", type=float, default=20, help="minutes between checkpoints")
parser.add_argument("--from", dest="start", type=Path)
parser.add_argument("--resume", action="store_true")
options = parser.parse_args()

torch.set_num_threads(options.threads)
torch.manual_seed(options.seed)
STEPS_OF = {"messages": 0.7, "pairs": 0.18, "translations": 0.12}
# Nearest skills of each drawn one, and messages of each skill.
NEAREST, MESSAGES = 2, 3
# Pairs of the other steps, for each skill that is drawn.
PAIRS_A_SKILL, TRANSLATIONS_A_SKILL = 5, 7
# Shares of the time until which the rate rises, and from which it falls.
RISE, FALL = 0.03, 0.4


def at(name):
    return options.folder / name


examples = Examples(options.folder, options.seed)
initial, tokenizer = read(options.start or at("start"))
model = from_weights(initial)
# What learns, in 32 bits. The model has a copy for the arithmetic.
weights = {name: parameter.detach().clone().to(options.device) for name, parameter in model.named_parameters()}
encoder = Encoder(model.to(precision(options.device)), tokenizer, options.device)
twins = torch.eye(len(examples.known), dtype=torch.bool)
twins[tuple(torch.from_numpy(np.load(at("twins.npz"))["pairs"]).long().T)] = True
decayed = [value for value in weights.values() if value.dim() == 2]
plain = [value for value in weights.values() if value.dim() < 2]
optimizer = torch.optim.AdamW([{"params": decayed}, {"params": plain, "weight_decay": 0}], lr=options.rate, weight_decay=0.01)
state = {"steps": 0, "seconds": 0.0}
if options.resume:
    saved = torch.load(at("checkpoint.pt"), weights_only=False)
    for name, value in saved["weights"].items():
        weights[name].copy_(value)
    optimizer.load_state_dict(saved["optimizer"])
    state = saved["state"]
    examples.random = np.random.default_rng([options.seed, state["steps"]])


def load_model():
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(weights[name])


def rows_of(texts, prefix, most):
    return [encoder.pieces(prefix + text, most) for text in texts]


def teach_messages():
    drawn = examples.random.permutation(len(examples.known))[: options.skills]
    chosen = list(drawn)
    near = bank[drawn] @ bank.T
    near[twins[drawn].to(near.device)] = -1
    # Not always the nearest ones: of the twelve nearest, some.
    for row in near.topk(12, 1).indices.cpu().numpy():
        chosen += examples.random.permutation(row)[:NEAREST].tolist()
    places = list(dict.fromkeys(int(place) for place in chosen))
    skills = [examples.known[place] for place in places]
    messages, groups, misses = [], [], []
    for group, skill in enumerate(skills):
        for text in examples.messages_of(skill, MESSAGES):
            messages.append(text)
            groups.append(group)
        if group < options.skills and examples.near[skill]:
            misses.append(examples.near[skill][examples.random.integers(len(examples.near[skill]))])
    # A near miss is one more message, and what it needs one more document.
    texts = [text for text, _ in misses] + messages
    documents = [need for _, need in misses] + [examples.text_of(skill) for skill in skills]
    groups = torch.tensor(list(range(len(misses))) + [len(misses) + group for group in groups])
    queries = encoder.vectors(rows_of(texts, MESSAGE, MESSAGE_PIECES))
    found = encoder.vectors(rows_of(documents, SKILL, SKILL_PIECES), 3)
    places = torch.tensor(places)
    bank[places] = found[len(misses) :].detach()
    same = torch.zeros(len(documents), len(documents), dtype=torch.bool)
    same[len(misses) :, len(misses) :] = twins[places][:, places]
    # Skills of the batch are compared with their new vectors, not with those in the bank.
    not_others = torch.zeros(len(documents), len(bank), dtype=torch.bool)
    not_others[len(misses) :] = twins[places]
    not_others[:, places] = True
    same, not_others, groups = (value.to(options.device) for value in (same, not_others[groups], groups))
    loss = contrast_groups(queries, groups, found, same, bank, not_others)
    own = groups >= len(misses)
    return loss + 0.3 * gather_messages(queries[own], groups[own] - len(misses), len(skills))


def teach_pairs():
    pairs = examples.draw_pairs(PAIRS, PAIRS_A_SKILL * options.skills)
    skills = torch.tensor([pair["skill"] for pair in pairs])
    left = encoder.vectors(rows_of([pair["text"] for pair in pairs], MESSAGE, MESSAGE_PIECES))
    right = encoder.vectors(rows_of([pair["other"] for pair in pairs], SKILL, SKILL_PIECES))
    return contrast(left, right, (skills[:, None] == skills).to(options.device))


def teach_translations():
    pairs = examples.draw_pairs(TRANSLATIONS, TRANSLATIONS_A_SKILL * options.skills)
    pairs = list({pair["other"]: pair for pair in {pair["text"]: pair for pair in pairs}.values()}.values())
    left, right = (encoder.vectors(rows_of([pair[side] for pair in pairs], MESSAGE, 40)) for side in ("text", "other"))
    return contrast(left, right, torch.zeros(len(pairs), len(pairs), dtype=torch.bool, device=options.device))


def rank_held():
    """R@1 and R@5 of the held-out messages among the candidates, by language."""
    documents = encoder.encode([examples.skills[skill]["texts"][0] for skill in examples.candidates], SKILL, SKILL_PIECES)
    queries = encoder.encode([example["text"] for example in examples.held], MESSAGE, MESSAGE_PIECES)
    rows = {skill: row for row, skill in enumerate(examples.candidates)}
    right = torch.tensor([rows[example["skill"]] for example in examples.held], device=options.device)
    scores = queries @ documents.T
    place = (scores > scores.gather(1, right[:, None])).sum(1).cpu().numpy()
    languages = np.array([example["language"] for example in examples.held])
    figures = {"all": place} | {language: place[languages == language] for language in sorted(set(languages))}
    return "  ".join(f"{name} {np.mean(p < 1):.3f}/{np.mean(p < 5):.3f}" for name, p in figures.items())


def keep():
    torch.save({"weights": weights, "optimizer": optimizer.state_dict(), "state": state}, at("checkpoint.new"))
    at("checkpoint.new").rename(at("checkpoint.pt"))
    write({**initial, **{name: value.cpu() for name, value in weights.items()}}, tokenizer, options.target)


load_model()
bank = encoder.encode([examples.skills[skill]["texts"][0] for skill in examples.known], SKILL, SKILL_PIECES)
print(f"{sum(value.numel() for value in weights.values())} weights that learn, {len(examples.known)} skills", flush=True)
print(f"step {state['steps']}: {rank_held()}", flush=True)
teach = {"messages": teach_messages, "pairs": teach_pairs, "translations": teach_translations}
stopped = []
signal.signal(signal.SIGTERM, lambda *_: stopped.append(True))
began, losses, since = time.time() - state["seconds"], {kind: [] for kind in teach}, time.time()
while not stopped and not at("stop").exists():
    state["seconds"] = time.time() - began
    share = state["seconds"] / 60 / options.minutes
    if share >= 1:
        break
    load_model()
    kind = list(teach)[examples.random.choice(len(teach), p=list(STEPS_OF.values()))]
    model.zero_grad()
    loss = teach[kind]()
    loss.backward()
    for name, parameter in model.named_parameters():
        weights[name].grad = parameter.grad.float()
    torch.nn.utils.clip_grad_norm_(weights.values(), 1.0)
    factor = min(1, share / RISE + 0.02) * (1 if share < FALL else max(0.03, (1 - share) / (1 - FALL)))
    for group in optimizer.param_groups:
        group["lr"] = options.rate * factor
    optimizer.step()
    state["steps"] += 1
    losses[kind].append(loss.item())
    if state["steps"] % 20 == 0:
        means = " ".join(f"{name} {np.mean(values):.3f}" for name, values in losses.items() if values)
        print(f"step {state['steps']}, {state['seconds'] / 60:.1f} min: {means}", flush=True)
        losses = {name: [] for name in teach}
    if time.time() - since > options.checkpoint * 60:
        keep()
        since = time.time()
        print(f"step {state['steps']}: {rank_held()}", flush=True)
load_model()
keep()
print(f"step {state['steps']}: {rank_held()}", flush=True)
