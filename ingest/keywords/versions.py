"""Versions behind the name of a model: `llama2`, `llama-3.1-8b`, `Llama_v2`, `qwen2.5-vl-7b`.

A version is a sequence of numbers and of listed variants. A number may follow the name directly, a variant
only a digit; otherwise a hyphen or an underscore joins them, and a space a number. So `gpt` is not in
`gpt4all`, and `t5` is not in `t5x`.
"""

import re

from ingest.keywords.letters import UNSPACED_RANGES

VARIANTS = (
    "instruct", "chat", "base", "large", "small", "mini", "medium", "tiny", "nano", "micro", "huge", "xl",
    "xxl", "xs", "pro", "plus", "max", "turbo", "lite", "flash", "ultra", "vl", "vision", "audio", "omni",
    "coder", "code", "math", "thinking", "reasoning", "embedding", "moe", "distill", "it", "sft", "dpo", "hf",
    "gguf", "ggml", "awq", "gptq", "int4", "int8", "fp8", "fp16", "bf16", "preview", "alpha", "beta", "neo",
    "neox", "j",
)  # fmt: skip

_MOST = 12
"""Numbers and variants of one version."""

_NO_LETTER = rf"(?![^\W\d_{UNSPACED_RANGES}])"
_VARIANT = rf"(?:{'|'.join(sorted(VARIANTS, key=len, reverse=True))})"
# 2, 3.1, v2, 8b, 8x7b, 4bit, 4o
_POINTS = r"(?:\.\d{1,20}){0,4}"
_NUMBER = rf"v?\d{{1,20}}{_POINTS}(?:x\d{{1,6}})?(?:(?:bit|[bmktoven]){_NO_LETTER})?"
# r1, a3b
_LETTERED = rf"[a-z]\d{{1,4}}{_POINTS}[a-z]?{_NO_LETTER}"
_ELEMENT = rf"(?>{_NUMBER}{_VARIANT}?|{_VARIANT}\d{{0,4}}{_NO_LETTER}|{_LETTERED})"
_END = rf"(?![^\W_{UNSPACED_RANGES}])"


def _compiled(first: str, joiners: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{first})?(?:{joiners}){{0,{_MOST}}}{_END}", re.IGNORECASE)


_JOINED = rf"[_-]{_ELEMENT}| {_NUMBER}"
_FIRST = rf"(?>{_NUMBER}{_VARIANT}?)"
_FIRST_BEHIND_DIGIT = rf"(?>v\d{{1,20}}{_POINTS}{_VARIANT}?|(?:\.\d{{1,20}}){{1,4}}{_VARIANT}?|{_VARIANT})"

_TAILS = {
    (ends_in_digit, joins): _compiled(first, _JOINED if joins else rf"[_-]{_ELEMENT}")
    for ends_in_digit, first in ((False, _FIRST), (True, _FIRST_BEHIND_DIGIT))
    for joins in (False, True)
}


def tail_of(name: str, *, joins: bool) -> re.Pattern[str]:
    """The pattern of the version behind this name, which also matches an empty one before a border."""
    return _TAILS[name[-1].isdigit(), joins]
