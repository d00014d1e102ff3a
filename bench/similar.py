"""The search for similar reports in a study of full size.

Reports are made: prose of words that are as unevenly common as in a language, code, and a template that
the reports of a repository share, about 3.5 kB each. One in fifty is another one with a few words changed.
"""

import random
import resource
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import accumulate

from bench.ground import SEED, Ground, Measurement, seconds, timed
from ingest.similarity import Report, Search, elements

ISSUES = 40_000
REPOSITORIES = 11
COPIES = 50
CHANGED = 8
MOST = 120.0
SYLLABLES = "ba ce di fo gu ha ki lo mu ne po qui ra si to vu we xo ya zi".split()
TEMPLATE = (
    "### Describe the bug\n\n{}\n\n{}\n\n### Reproduction\n\n```python\n{}\n```\n\n"
    "### Environment\n\n```\n{}\n```\n"
)


def rows(ground: Ground) -> Iterator[Measurement]:
    ground.say(f"{ISSUES:,} reports …")
    texts, copies = made()
    size = sum(len(title) + len(body) for title, body in texts)
    least, _wall = measured(lambda: [sha256((title + body).encode()).digest() for title, body in texts])
    ground.say("similar reports …")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found: set[tuple[int, int]] = set()

    def compare() -> None:
        search = Search(Report(key, key % REPOSITORIES, elements(*text)) for key, text in enumerate(texts))
        for _key, pairs in search.pairs_of(range(len(texts))):
            found.update((pair.first, pair.second) for pair in pairs)

    ours, wall = measured(compare)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1000
    missed = len(copies - found)
    yield Measurement.timed(
        f"similar reports among {ISSUES:,} of {size / ISSUES / 1000:.1f} kB",
        ours,
        least,
        "SHA-256 over the same texts, once",
        most=MOST,
        note=f"one process, {seconds(wall)} on the wall; {len(found):,} pairs, {missed} of"
        f" {len(copies):,} copies missed; {grown:,.0f} MB at most beside the texts",
    )
    if missed:
        raise RuntimeError(f"{missed} copies were not found")


def measured(act: Callable[[], object]) -> tuple[float, float]:
    """The seconds for which Python has a processor, which other work changes less, and those that pass."""
    began = time.process_time()
    passed = timed(act)
    return time.process_time() - began, passed


def made() -> tuple[list[tuple[str, str]], set[tuple[int, int]]]:
    """Titles and bodies, and the pairs of which one is nearly a copy of the other."""
    chance = random.Random(SEED)
    words = ["".join(chance.choices(SYLLABLES, k=chance.choice((1, 2, 2, 3, 3, 4)))) for _ in range(40_000)]
    common = list(accumulate(1 / rank for rank in range(1, len(words) + 1)))

    def say(many: int) -> str:
        return " ".join(chance.choices(words, cum_weights=common, k=many))

    def lines(many: int) -> str:
        return "\n".join(f"{say(5)} = {chance.randrange(100)}" for _ in range(many))

    settings = "\n".join(f"{word}: 1.{len(word)}" for word in words[:25])
    texts: list[tuple[str, str]] = []
    copies = set()
    for number in range(ISSUES):
        if number % COPIES == COPIES - 1:
            of = chance.randrange(number)
            title, body = texts[of]
            parts = body.split(" ")
            for place in chance.sample(range(len(parts)), CHANGED):
                parts[place] = say(1)
            texts.append((title, " ".join(parts)))
            copies.add((of, number))
        else:
            texts.append((say(9), TEMPLATE.format(say(150), say(150), lines(30), settings)))
    return texts, copies
