"""Trains the encoder: python3 train.py FOLDER TARGET [--minutes N] [--seed N] [--device cuda] [--resume]

FOLDER has what examples.ts and prepare.py write. TARGET gets the encoder. Training has three stages:
- `nine`: the teacher of nine languages, all its layers, learns by contrast (contrast.py);
- `english`: the English teacher learns the same from English texts;
- `student`: six layers of the first teacher learn from both teachers (distill.py) and by contrast. In the last part they learn with weights
  of four bits.
After each stage, and every `--checkpoint` minutes in it, its state goes to FOLDER. `--resume` goes on from there. To stop, write a file
FOLDER/stop or send SIGTERM.
"""

import argparse
import signal
import time
from pathlib import Path

import numpy as np
import torch
from contrast import Contrast
from distill import Distillation
from examples import Examples
from export import write
from network import Network
from quantize import load
from texts import MESSAGE, SKILL, Encoder, Texts
from tokenizers import Tokenizer

LAYERS = (0, 2, 4, 6, 8, 10)
# Share of the minutes, learning rate, and how often each kind of step is drawn.
STAGES = {
    "nine": (0.13, 2e-4, {"messages": 0.6, "pairs": 0.25, "translations": 0.15}),
    "english": (0.13, 5e-5, {"messages": 0.7, "pairs": 0.3}),
    "student": (0.74, 6e-4, {"distillation": 0.75, "messages": 0.17, "pairs": 0.04, "translations": 0.04}),
}
# Share of the time of the student from which its weights have four bits, and until which the rate of any stage rises.
FOUR_BITS, RISE = 0.4, 0.04
DROPOUT = 0.1

parser = argparse.ArgumentParser()
parser.add_argument("folder", type=Path)
parser.add_argument("target", type=Path)
parser.add_argument("--minutes", type=float, default=600)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--device", default="cpu")
parser.add_argument("--skills", type=int, help="skills drawn for a step; each comes with two near ones. Default: 14, with a GPU 96")
parser.add_argument("--checkpoint", type=float, default=20, help="minutes between checkpoints")
parser.add_argument("--resume", action="store_true")
options = parser.parse_args()
folder, device = options.folder, options.device
skills = options.skills or (14 if device == "cpu" else 96)
torch.manual_seed(options.seed)

examples = Examples(folder, options.seed)
twins = torch.eye(len(examples.known), dtype=torch.bool)
twins[tuple(torch.from_numpy(np.load(folder / "twins.npz")["pairs"]).long().T)] = True
twins = twins.to(device)
stopped = []
signal.signal(signal.SIGTERM, lambda *_: stopped.append(True))


def say(*words):
    print(time.strftime("%H:%M:%S"), *words, flush=True)


def rank_held(encoder):
    """R@1/R@5 of the held-out messages among the candidates, by language."""
    documents = encoder.encode([examples.skills[skill][0] for skill in examples.candidates], SKILL).float()
    scores = encoder.encode(examples.held, MESSAGE).float() @ documents.T
    right = torch.from_numpy(examples.held_places).to(device)
    place = (scores > scores.gather(1, right[:, None])).sum(1).cpu().numpy()
    languages = examples.held_languages
    figures = {"all": place} | {language: place[languages == language] for language in sorted(set(languages))}
    return "  ".join(f"{name} {np.mean(p < 1):.3f}/{np.mean(p < 5):.3f}" for name, p in figures.items())


def train(stage, encoder, distillation=None):
    """Runs a stage, or what is left of it."""
    share_of_minutes, rate, kinds = STAGES[stage]
    network, file = encoder.network, folder / f"{stage}.pt"
    state = {"steps": 0, "seconds": 0.0, "done": False}
    parameters = list(network.parameters())
    matrices, others = ([p for p in parameters if (p.dim() == 2) == is_matrix] for is_matrix in (True, False))
    optimizer = torch.optim.AdamW([{"params": matrices}, {"params": others, "weight_decay": 0}], lr=rate, weight_decay=0.01)
    if options.resume and file.exists():
        saved = torch.load(file, map_location=device, weights_only=False)
        network.load_state_dict(saved["network"])
        optimizer.load_state_dict(saved["optimizer"])
        state = saved["state"]
        examples.random = np.random.default_rng([options.seed, state["steps"]])
    if state["done"]:
        return
    contrast = Contrast(encoder, examples, twins, skills, english=stage == "english")
    teach = {"messages": contrast.messages, "pairs": contrast.pairs, "translations": contrast.translations}
    if distillation:
        teach["distillation"] = distillation.step
    say(stage, "step", state["steps"], rank_held(encoder))
    network.train()
    began, since, losses = time.time() - state["seconds"], time.time(), {kind: [] for kind in kinds}

    def keep():
        torch.save({"network": network.state_dict(), "optimizer": optimizer.state_dict(), "state": state}, file)
        means = " ".join(f"{kind} {torch.stack(values).mean():.3f}" for kind, values in losses.items() if values)
        say(stage, "step", state["steps"], means, "|", rank_held(encoder))

    while not (stopped or (folder / "stop").exists()):
        state["seconds"] = time.time() - began
        share = state["seconds"] / 60 / options.minutes / share_of_minutes
        if share >= 1:
            state["done"] = True
            break
        if stage == "student" and share >= FOUR_BITS:
            network.use_four_bits()
        kind = examples.draw_kind(kinds)
        loss = teach[kind]()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        for group in optimizer.param_groups:
            group["lr"] = rate * min(1, share / RISE + 0.02) * max(0.02, 1 - share)
        optimizer.step()
        state["steps"] += 1
        losses[kind].append(loss.detach())
        if time.time() - since > options.checkpoint * 60:
            keep()
            losses, since = {kind: [] for kind in kinds}, time.time()
    keep()
    network.eval()
    if not state["done"]:
        raise SystemExit("Stopped. --resume goes on.")


tokenizer, english_tokenizer = (Tokenizer.from_file(str(folder / f"{name}.json")) for name in ("nine", "english"))
texts = Texts(examples.texts, tokenizer, device)
english_only = [text if is_english else "" for text, is_english in zip(examples.texts, examples.english)]
special = [english_tokenizer.token_to_id(piece) for piece in ("<s>", "</s>", "<pad>")]
english_texts = Texts(english_only, english_tokenizer, device, ("", ""), special)
nine = Encoder(Network(load(folder / "nine.npz"), dropout=DROPOUT), texts, device)
train("nine", nine)
english = Encoder(Network(load(folder / "english.npz"), 1e-5, DROPOUT), english_texts, device)
train("english", english)
weights = {name: value.cpu() for name, value in nine.network.state_dict().items() if not name.startswith("layers.")}
for place, layer in enumerate(LAYERS):
    weights |= {f"layers.{place}.{name}": value.cpu() for name, value in nine.network.layers[layer].state_dict().items()}
student = Encoder(Network(weights), texts, device)
train("student", student, Distillation(student, nine, english, examples, 64 if device == "cpu" else 448))
write({name: value.cpu() for name, value in student.network.state_dict().items()}, tokenizer, options.target)
