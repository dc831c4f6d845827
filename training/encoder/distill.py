"""What the teachers teach: for any text, the student gives all skills the same places as both teachers do.

The teacher of nine languages and the one of English both compare texts with skills. Where both are English, their similarities are mixed, on
the scale of the first. A translated line is taught by what the teachers say of its English original.
"""

import numpy as np
import torch
from losses import SCALE
from texts import MESSAGE, SKILL, Remembered
from torch.nn import functional as F

KINDS = {"message": 0.3, "phrase": 0.15, "paragraph": 0.08, "cross": 0.1, "line": 0.05, "heading": 0.04, "split": 0.08, "translation": 0.1, "software": 0.1}  # fmt: skip
TRANSLATED = ("translation", "software")
# Share of the English teacher.
ENGLISH = 0.6
# Skills that each text is compared with besides its own, of how many of its nearest.
NEAREST, AMONG = 3, 20
# Weight of the distance to the vectors of the teacher of nine languages.
DISTANCE = 2


def mix(nine, english, both):
    """Similarities of both teachers. both: for which skills there are two."""

    def spread(scores):
        some = scores[:, both]
        return some.mean(1, keepdim=True), some.std(1, keepdim=True).clamp(min=1e-3)

    (middle, width), (middle_english, width_english) = spread(nine), spread(english)
    scaled = (english - middle_english) / width_english * width + middle
    return torch.where(both, (1 - ENGLISH) * nine + ENGLISH * scaled, nine)


class Distillation:
    """nine, english: encoders of the teachers. Held-out skills are not read."""

    def __init__(self, student, nine, english, examples, count):
        self.student, self.examples, self.count = student, examples, count
        self.nine, self.english = Remembered(nine), Remembered(english)
        skills = np.flatnonzero(~examples.held_out)
        self.row_of = np.full(len(examples.skills), -1)
        self.row_of[skills] = np.arange(len(skills))
        self.texts = np.array([examples.skills[skill][0] for skill in skills])
        self.skills = nine.encode(self.texts, SKILL).float()
        known = examples.english[self.texts]
        self.is_english = torch.from_numpy(known).to(nine.device)
        self.english_skills = torch.zeros(len(skills), english.network.width, device=nine.device)
        self.english_skills[self.is_english] = english.encode(self.texts[known], SKILL).float()

    def step(self):
        examples, device = self.examples, self.student.device
        kind = examples.draw_kind(KINDS)
        rows = examples.draw_pairs({kind: 1}, self.count)
        # The text that the teachers read.
        read = rows[:, 1] if kind in TRANSLATED else rows[:, 0]
        taught = self.nine.of(read)
        nearest = (taught @ self.skills.T).topk(AMONG, 1).indices.cpu().numpy()
        near = np.take_along_axis(nearest, examples.random.integers(AMONG, size=(len(rows), NEAREST)), 1).ravel()
        own = self.row_of[rows[rows[:, 2] >= 0, 2]]
        places = np.unique(np.concatenate([own, near]))
        chosen = torch.from_numpy(places).to(device)
        goal = self.goal(read, taught, chosen)
        queries, documents = self.student.vectors(rows[:, 0], MESSAGE), self.student.vectors(self.texts[places], SKILL)
        scores = SCALE * queries @ documents.T
        distance = (1 - (queries * taught).sum(1)).mean() + (1 - (documents * self.skills[chosen]).sum(1)).mean()
        return divergence(scores, goal) + 0.5 * divergence(scores.T, goal.T) + DISTANCE * distance

    def goal(self, read, taught, chosen):
        """The scores of texts and skills by the teachers."""
        nine = taught @ self.skills[chosen].T
        known = self.examples.english[read]
        if not known.any() or self.is_english[chosen].sum() < 2:
            return SCALE * nine
        english = torch.from_numpy(known).to(self.student.device)
        both = self.english.of(read[known]) @ self.english_skills[chosen].T
        nine[english] = mix(nine[english], both, self.is_english[chosen])
        return SCALE * nine


def divergence(scores, goal):
    return F.kl_div(F.log_softmax(scores, 1), F.softmax(goal, 1), reduction="batchmean")
