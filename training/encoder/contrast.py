"""What contrast teaches: a message is nearer to its skill than to all others.

A step is one of three:
- messages of skills, and their near misses, against skills. Two thirds of the skills of a batch are among the nearest of the others, and
  every message is also compared with the last known vector of each skill. Skills that do the same are no negatives of each other;
- mined phrases, lines and halves of descriptions against skills;
- lines of software and their translations.
"""

import numpy as np
import torch
from examples import PAIRS, TRANSLATIONS
from losses import contrast, contrast_groups, gather_messages
from texts import MESSAGE, SKILL

# Nearest skills of each drawn one, of how many, and messages of each skill.
NEAREST, AMONG, MESSAGES = 2, 12, 3
# Pairs of the other steps, for each skill that is drawn.
PAIRS_A_SKILL, TRANSLATIONS_A_SKILL = 6, 8


class Contrast:
    """english: only English texts, for a teacher that knows no other language. twins: pairs of known skills that do the same."""

    def __init__(self, encoder, examples, twins, count, english=False):
        self.encoder, self.examples, self.twins, self.count, self.english = encoder, examples, twins, count, english
        self.bank = encoder.encode([examples.skills[skill][0] for skill in examples.known], SKILL)
        usable = [not english or (examples.english[examples.skills[skill][0]] and bool(self.messages_of(skill))) for skill in examples.known]
        self.usable = np.flatnonzero(usable)
        self.unusable = ~torch.tensor(usable, device=encoder.device)

    def messages_of(self, skill):
        return [text for text, language in self.examples.messages[skill] if not self.english or language == "en"]

    def near_misses_of(self, skill):
        known = self.examples.english
        return [(text, need) for text, need in self.examples.near[skill] if not self.english or (known[text] and known[need])]

    def messages(self):
        examples, device = self.examples, self.encoder.device
        drawn = examples.random.permutation(self.usable)[: self.count]
        near = (self.bank[drawn].float() @ self.bank.float().T).masked_fill(self.twins[drawn] | self.unusable, -1)
        chosen = list(drawn)
        # Not always the nearest ones.
        for row in near.topk(min(AMONG, near.shape[1]), 1).indices.cpu().numpy():
            chosen += examples.random.permutation(row)[:NEAREST].tolist()
        places = np.array(list(dict.fromkeys(int(place) for place in chosen)))
        skills = [examples.known[place] for place in places]
        messages = [(text, group) for group, skill in enumerate(skills) for text in examples.some(self.messages_of(skill), MESSAGES)]
        misses = [miss for skill in skills[: self.count] for miss in examples.some(self.near_misses_of(skill), 1)]
        # A near miss is one more message, and what it needs one more document.
        texts = [text for text, _ in misses] + [text for text, _ in messages]
        documents = [need for _, need in misses]
        for skill in skills:
            of_skill = examples.skills[skill]
            documents.append(of_skill[0] if self.english else of_skill[examples.random.integers(len(of_skill))])
        missed = len(misses)
        groups = torch.tensor([*range(missed), *(missed + group for _, group in messages)], device=device)
        queries, found = self.encoder.vectors(texts, MESSAGE), self.encoder.vectors(documents, SKILL)
        rows = torch.from_numpy(places).to(device)
        self.bank[rows] = found[missed:].detach().half()
        same = torch.zeros(len(documents), len(documents), dtype=torch.bool, device=device)
        same[missed:, missed:] = self.twins[rows][:, rows]
        # Skills of the batch are compared with their new vectors, not with those in the bank.
        not_others = self.unusable.repeat(len(documents), 1)
        not_others[missed:] |= self.twins[rows]
        not_others[:, rows] = True
        loss = contrast_groups(queries, groups, found, same, self.bank.float(), not_others[groups])
        own = groups >= missed
        return loss + 0.3 * gather_messages(queries[own], groups[own] - missed, len(skills))

    def pairs(self):
        kinds = {kind: share for kind, share in PAIRS.items() if not self.english or kind not in ("cross", "line")}
        rows = self.examples.draw_pairs(kinds, PAIRS_A_SKILL * self.count, self.english)
        skills = torch.from_numpy(rows[:, 2]).to(self.encoder.device)
        left, right = self.encoder.vectors(rows[:, 0], MESSAGE), self.encoder.vectors(rows[:, 1], SKILL)
        return contrast(left, right, skills[:, None] == skills)

    def translations(self):
        rows = self.examples.draw_pairs(TRANSLATIONS, TRANSLATIONS_A_SKILL * self.count)
        for side in (0, 1):
            rows = rows[np.unique(rows[:, side], return_index=True)[1]]
        left, right = (self.encoder.vectors(rows[:, side], MESSAGE) for side in (0, 1))
        return contrast(left, right, torch.zeros(len(rows), len(rows), dtype=torch.bool, device=self.encoder.device))
