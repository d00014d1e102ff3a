"""The keyword filter over made issues, against a bare pass of its automaton over the same texts.

Issues are made of common words, names of models, stack traces, code, addresses and some Chinese, in the
proportions of issues about models: about one hit in six hundred characters, a third of the text in fences.
"""

import random
import time
from collections.abc import Callable, Iterator
from statistics import median

from bench.ground import PUBLISHED, SEED, Ground, Measurement, seconds, timed
from ingest.keywords import Matcher, Switches, Term, read_list, template_headings
from ingest.keywords.automaton import Automaton
from ingest.keywords.folding import fold
from ingest.keywords.forms import forms

LEAST = 20.0
"""Megabytes a second, in one process."""

ISSUES = 2400
TIMES = 5
COMMON = (
    "the a of to and in is it for on with this that when we use after not from are be have as an by or if but"
    " can run error using model training memory after loading same config version code works fails expected"
    " following what happens output batch cuda device when install data model time few see there all would"
    " please line file result value function call returns only same new first does also because then them"
).split()
NAMES = (
    "llama gpt bert transformer llm vllm lora fsdp quantization sharding fp16 t5 deepspeed".split()
    + "mixed precision,tensor parallel,gradient checkpointing,long context,few-shot,llama-3.1-8b".split(",")
)
HEADINGS = ("### Describe the bug", "### Environment", "### Expected behavior", "- [x] I have searched")
CHINESE = "在多卡环境下运行模型训练时，显存不足导致报错。使用llama推理的结果与预期不一致，请问如何解决？"
TRACE = (
    '  File "/usr/local/lib/python3.10/site-packages/{a}/models/{b}.py", line {n}, in forward\n'
    "    {a} = self.{b}({a}_states, mask=mask, **kwargs)\n"
)
CODE = (
    "from {a} import {b}\nmodel = {b}.from_pretrained('org/{a}-{n}b', dtype=torch.{b}16)\nprint(model, {n})\n"
)


def rows(ground: Ground) -> Iterator[Measurement]:
    ground.say("the keyword filter …")
    terms, whose = listed()
    issues = list(made_issues())
    size = sum(len(f"{title}{body}".encode()) for title, body in issues)
    matcher = Matcher(terms)
    headings = template_headings(body for _title, body in issues)
    folded = [fold(text).text for issue in issues for text in issue]
    bare, hits = bare_pass(terms, folded)
    limit, _wall = measured(bare)
    ours, wall = measured(lambda: [matcher.search(*issue, headings=headings) for issue in issues])
    found = [matcher.search(*issue, headings=headings) for issue in issues]
    counted = sum(one.counted for issue in found for one in issue.values())
    masked = sum(one.masked for issue in found for one in issue.values())
    speed = size / ours / 1e6
    yield Measurement(
        work=f"{len(terms)} terms searched in {len(issues):,} made issues, {size / 1e6:.1f} MB",
        ours=f"{speed:.1f} MB/s",
        limit=f"{size / limit / 1e6:.1f} MB/s",
        limit_is="one pass of the automaton over the same folded texts",
        ratio=ours / limit,
        bar=f"≥ {LEAST:g} MB/s",
        met=speed >= LEAST,
        note=(
            f"{whose} terms; {hits / size * 1e6:,.0f} raw hits a MB, {counted:,} that count and {masked:,}"
            f" masked; {seconds(ours)} of the processor, {seconds(wall)} on the wall; medians of {TIMES}"
        ),
    )


def measured(act: Callable[[], object]) -> tuple[float, float]:
    """Medians of the seconds that Python has a processor, which other work changes less, and that pass."""
    act()
    took, passed = [], []
    for _ in range(TIMES):
        began = time.process_time()
        passed.append(timed(act))
        took.append(time.process_time() - began)
    return median(took), median(passed)


def listed() -> tuple[list[Term], str]:
    """The distinct terms of the published lists where they are at hand, else as many made ones."""
    path = PUBLISHED / "filter_keywords.txt"
    if path.exists():
        read = read_list(path.read_text(encoding="utf-8"))
        texts = dict.fromkeys(term.text for one in read.lists for term in one.terms)
        return [Term(text) for text in texts], "published"
    chance = random.Random(SEED)
    made = [*NAMES, *(f"{chance.choice(COMMON)} {chance.choice(NAMES)}{n}" for n in range(149 - len(NAMES)))]
    return [Term(text) for text in made], "made"


def bare_pass(terms: list[Term], texts: list[str]) -> tuple[Callable[[], int], int]:
    """A pass of an automaton with the keys of the filter, and its number of hits."""
    automaton = Automaton(list({key for form in forms(terms, Switches()) for key in form.keys}))

    def passed() -> int:
        return sum(1 for text in texts for _hit in automaton.finds(text))

    return passed, passed()


def made_issues() -> Iterator[tuple[str, str]]:
    chance = random.Random(SEED)
    for number in range(ISSUES):
        blocks = [chance.choice(HEADINGS)]
        for _ in range(chance.randint(2, 14)):
            made = chance.random()
            a, b, n = chance.choice(COMMON), chance.choice(COMMON), chance.randint(1, 999)
            if made < 0.15:
                lines = "".join(TRACE.format(a=a, b=b, n=n + at) for at in range(chance.randint(2, 12)))
                blocks.append(f"```\nTraceback (most recent call last):\n{lines}```")
            elif made < 0.3:
                blocks.append(f"```python\n{CODE.format(a=a, b=b, n=n) * chance.randint(1, 5)}```")
            elif made < 0.4:
                blocks.append(
                    f"See https://example.org/{a}/{chance.choice(NAMES)[:5]}/issues/{n} and `{b}({n})`."
                )
            elif made < 0.45:
                blocks.append(f"* {said(chance, 8)}\n* {said(chance, 9)}\n\n    {said(chance, 6)}")
            elif made < 0.48:
                blocks.append(CHINESE)
            else:
                blocks.append(said(chance, chance.randint(20, 120)))
        yield f"{said(chance, 7)} #{number}", "\r\n\r\n".join(blocks)


def said(chance: random.Random, words: int) -> str:
    return " ".join(
        chance.choice(NAMES) if chance.random() < 0.007 else chance.choice(COMMON) for _ in range(words)
    )
