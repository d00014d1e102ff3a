"""Texts that are alike: texts that share words, above all rare words.

A text becomes a vector of its words, weighted by tf-idf and of length 1; the likeness of two texts is the
cosine of their vectors, from 0 (no word in common) to 1. Groups are stars: each member is like the centre, so
that one sentence explains the group. The order of the texts matters only between equal texts.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ingest.similarity.words import CJK, folded

ALIKE = 0.35
"""The cosine from which two texts count as alike: they share a good third of the weight of their words."""

WORDS = 5
LONGEST = 10_000
"""The number of characters that are read: a long text, such as a pasted log, is compared by its beginning."""

_CJK = re.compile(f"[{CJK}]+")
_WORD = re.compile(r"\w+(?:[.:]+\w+)*")
_ASCII_WORD = re.compile(_WORD.pattern, re.ASCII)
_JOINT = re.compile(r"[._:]+")
COMMON = 10
AT_ONCE = 250
ROUNDING = 1e-9


class AlikeTexts(NamedTuple):
    """A group of alike texts, as positions in the input: the centre first, then the nearest to it. `words`:
    the words that they share, the weightiest first; empty for a text that is like no other.
    """

    members: tuple[int, ...]
    words: tuple[str, ...] = ()


def stars(texts: Sequence[str], *, threshold: float = ALIKE) -> list[AlikeTexts]:
    """Groups of alike texts, the largest first; every text is in exactly one. 0 < threshold <= 1.

    The text with the most neighbours without a group becomes a centre and takes them all, until no text is
    left. Equal texts are always together; texts without a word are alone. Equally good centres come in the
    order of the alphabet. The time grows with the pairs of texts that share a word: half a second of one core
    for 5,000 summaries, a tenth for 1,400 issues.
    """
    if not 0 < threshold <= 1:
        raise ValueError(f"a threshold is above 0 and at most 1, not {threshold}")
    vectors, vocabulary = _vectors(texts)
    if not vocabulary:
        return [AlikeTexts((place,)) for place in range(len(texts))]
    near = _neighbours(vectors, threshold)
    order = sorted(range(len(texts)), key=texts.__getitem__)
    found = [AlikeTexts(members, _words(vectors, vocabulary, members)) for members in _stars(near, order)]
    return sorted(found, key=lambda group: (-len(group.members), min(group.members)))


def like(texts: Sequence[str], place: int) -> list[int]:
    """The positions of the other texts that are like the text at `place`, the most alike first."""
    vectors, vocabulary = _vectors(texts)
    if not vocabulary:
        return []
    cosines = (vectors @ vectors[[place]].T).toarray().ravel().round(9)
    cosines[place] = 0
    found = np.flatnonzero(cosines >= ALIKE - ROUNDING)
    return [int(one) for one in found[np.argsort(-cosines[found], kind="stable")]]


def _raw(text: str) -> Counter[str]:
    """The words of a text, without case and width, with their numbers of occurrences; code stays whole.
    Chinese, Japanese and Korean, which put no spaces between words, give pairs of characters.
    """
    text = folded(text[:LONGEST])
    if text.isascii():
        return Counter(_ASCII_WORD.findall(text))
    if not _CJK.search(text):
        return Counter(_WORD.findall(text))
    words: Counter[str] = Counter(_WORD.findall(_CJK.sub(" ", text)))
    for run in _CJK.findall(text):
        words.update(run[at : at + 2] for at in range(max(len(run) - 1, 1)))
    return words


def _parts(word: str) -> list[str]:
    """The word of code itself and its parts; empty for underscores alone."""
    parts = [part for part in _JOINT.split(word) if part]
    if len(parts) < 2:
        return parts
    return [word.strip("_"), *(part for part in parts if len(part) > 1 and not part.isdecimal())]


def words_of(texts: Iterable[str]) -> list[Counter[str]]:
    """The words of each text; code also gives its parts (`torch.compile`: `torch`, `compile`)."""
    counted = [_raw(text) for text in texts]
    compound = {word: _parts(word) for word in set().union(*counted) if _JOINT.search(word)}
    for words in counted:
        for word in words.keys() & compound.keys():
            times = words.pop(word)
            for part in compound[word]:
                words[part] += times
    return counted


def _vectors(texts: Sequence[str]) -> tuple[Any, list[str]]:
    """A matrix (texts, words) of rows of length 1, or 0 for texts without words, and the sorted words."""
    counted = words_of(texts)
    vocabulary = sorted(set().union(*counted))
    places = {word: place for place, word in enumerate(vocabulary)}
    lengths = np.array([len(words) for words in counted], dtype=np.int64)
    columns = np.array(list(map(places.__getitem__, chain.from_iterable(counted))), dtype=np.int32)
    times = np.array(list(chain.from_iterable(words.values() for words in counted)), dtype=np.float64)
    rarity = np.log1p(len(texts) / np.bincount(columns, minlength=len(vocabulary)).clip(1))
    weights = (1 + np.log(times)) * rarity[columns]
    starts = np.concatenate(([0], np.cumsum(lengths)))
    from scipy.sparse import csr_matrix  # noqa: PLC0415 - SciPy loads for long

    vectors = csr_matrix((weights, columns, starts), shape=(len(texts), len(vocabulary)))
    # Sorted, equal texts have bit for bit the same length and the same cosines.
    vectors.sort_indices()
    rows = np.repeat(np.arange(len(texts)), lengths)
    vectors.data /= np.sqrt(np.bincount(rows, weights=vectors.data**2, minlength=len(texts)))[rows]
    return vectors, vocabulary


def _neighbours(vectors: Any, threshold: float) -> Any:
    """A symmetric matrix (texts, texts) of the cosines that reach the threshold, with an empty diagonal.

    The few words that occur in more than every tenth text make most of the work: a dense product handles
    them, and a sparse product all others, AT_ONCE rows at a time, so that memory stays flat.
    """
    n, words = vectors.shape
    common = COMMON * np.bincount(vectors.indices, minlength=words) > n
    dense = vectors[:, np.flatnonzero(common)].toarray()
    others = vectors[:, np.flatnonzero(~common)]
    one, other, alike = [], [], []
    for at in range(0, n, AT_ONCE):
        # Each pair once: these rows with themselves and with all later rows.
        cosines = (others[at : at + AT_ONCE] @ others[at:].T.tocsr()).toarray()
        cosines += dense[at : at + AT_ONCE] @ dense[at:].T
        found = np.flatnonzero(cosines.ravel() >= threshold - ROUNDING)
        rows, columns = np.divmod(found, n - at)
        behind = columns > rows
        one.append(rows[behind] + at)
        other.append(columns[behind] + at)
        alike.append(cosines.ravel()[found[behind]])
    pairs = (np.concatenate(one), np.concatenate(other))
    from scipy.sparse import csr_matrix  # noqa: PLC0415 - SciPy loads for long

    near = csr_matrix((np.concatenate(alike), pairs), shape=(n, n))
    near = near + near.T
    near.sort_indices()
    return near


def _stars(near: Any, order: Sequence[int]) -> list[tuple[int, ...]]:
    """Stars until no node is left: each time the node with the most free neighbours takes these."""
    n = near.shape[0]
    free = np.ones(n, dtype=bool)
    degree = np.diff(near.indptr).astype(np.int64)
    rank = np.empty(n, dtype=np.int64)
    rank[order] = np.arange(n)
    # One number per node: more neighbours first, then the order of the alphabet.
    found: list[tuple[int, ...]] = []
    score = degree * n + (n - 1 - rank)
    while n:
        centre = int(np.argmax(score))
        if score[centre] < n:
            break
        around = slice(near.indptr[centre], near.indptr[centre + 1])
        theirs, cosines = near.indices[around], near.data[around]
        still = free[theirs]
        theirs, cosines = theirs[still], cosines[still]
        members = theirs[np.lexsort((rank[theirs], -cosines.round(9)))]
        found.append((centre, *(int(one) for one in members)))
        taken = np.append(members, centre)
        free[taken] = False
        score[taken] = -1
        lost = np.concatenate([near.indices[near.indptr[one] : near.indptr[one + 1]] for one in taken])
        lost = lost[free[lost]]
        np.subtract.at(score, lost, n)
    return found + [(int(one),) for one in np.flatnonzero(free)]


def _words(vectors: Any, vocabulary: Sequence[str], members: Sequence[int]) -> tuple[str, ...]:
    """The words that the centre shares with at least half of the other texts, or else with any, those that
    add most to the cosines first.
    """
    if len(members) == 1:
        return ()
    start, end = vectors.indptr[members[0]], vectors.indptr[members[0] + 1]
    words, weights = vectors.indices[start:end], vectors.data[start:end]
    theirs = [slice(vectors.indptr[one], vectors.indptr[one + 1]) for one in members[1:]]
    indices = np.concatenate([vectors.indices[one] for one in theirs])
    data = np.concatenate([vectors.data[one] for one in theirs])
    places = np.searchsorted(words, indices).clip(max=len(words) - 1)
    shared = words[places] == indices
    adds = np.bincount(places[shared], weights=data[shared], minlength=len(words)) * weights
    spread = np.bincount(places[shared], minlength=len(words))
    most = 2 * spread >= len(theirs)
    if most.any():
        adds[~most] = 0
    found = sorted(
        ((adds[place], vocabulary[words[place]]) for place in np.flatnonzero(adds)),
        key=lambda one: (-one[0].round(9), -len(one[1]), one[1]),
    )
    chosen: list[str] = []
    said: set[str] = set()
    for _added, word in found:
        if word not in said and len(chosen) < WORDS:
            chosen.append(word)
            said |= {word, *_parts(word)}
    return tuple(chosen)
