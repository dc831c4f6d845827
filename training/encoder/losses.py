"""What a batch teaches: contrast, with the right text against all others of the batch."""

import torch
from torch.nn import functional as F

SCALE = 25
NEVER = -1e4


def contrast(ours, theirs, same, others=None, not_others=None):
    """Each of `ours` is nearest to the text of its row in `theirs`, and the other way round.

    same: pairs that are not negatives of each other, besides the diagonal.
    others: further negatives, without gradients; not_others: where they are none.
    """
    scores = SCALE * ours @ theirs.T
    scores = scores.masked_fill(same.fill_diagonal_(False), NEVER)
    right = torch.arange(len(ours), device=ours.device)
    back = F.cross_entropy(scores.T, right)
    if others is not None:
        scores = torch.cat([scores, (SCALE * ours @ others.T).masked_fill(not_others, NEVER)], 1)
    return (F.cross_entropy(scores, right) + back) / 2


def contrast_groups(messages, groups, documents, same, others, not_others):
    """Messages of groups against the document of each group.

    groups: the document of each message. same: pairs of documents that are not negatives of each other.
    """
    scores = SCALE * messages @ documents.T
    own = F.one_hot(groups, len(documents)).bool()
    scores = scores.masked_fill(same[groups] & ~own, NEVER)
    far = (SCALE * messages @ others.T).masked_fill(not_others, NEVER)
    forth = F.cross_entropy(torch.cat([scores, far], 1), groups)
    # A document has several messages, and each of them should be nearer than those of other documents.
    total = scores.T.masked_fill(own.T, NEVER).logsumexp(1)[groups]
    back = F.softplus(total - scores.gather(1, groups[:, None])[:, 0]).mean()
    return (forth + back) / 2


def gather_messages(messages, groups, count):
    """Each message is nearest to the mean of the other messages of its skill."""
    sums = messages.new_zeros(count, messages.shape[1]).index_add(0, groups, messages)
    sizes = torch.bincount(groups, minlength=count)
    means = F.normalize(sums, dim=1)
    own = F.normalize(sums[groups] - messages, dim=1)
    scores = SCALE * messages @ means.T
    scores = scores.scatter(1, groups[:, None], SCALE * (messages * own).sum(1, keepdim=True))
    several = sizes[groups] > 1
    return F.cross_entropy(scores[several][:, sizes > 0], (torch.cumsum(sizes > 0, 0) - 1)[groups][several])
