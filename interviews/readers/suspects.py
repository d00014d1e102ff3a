"""What in a pseudonymised transcript could still identify somebody: addresses, numbers, handles, employers,
and what is written as names are. Every repetition is bounded: a word of a million letters costs no time.
"""

import ipaddress
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from interviews.readers.capitals import capitals_in
from interviews.readers.folding import fold, key
from interviews.readers.ordinary import may_be_a_word

Kind = Literal["email", "url", "ip", "phone", "handle", "repository", "employer", "name", "capital", "word"]


@dataclass(frozen=True, slots=True, repr=False)
class Suspect:
    """A place that may identify somebody: `turn` counts from 0; "capital" is the weakest kind of a name,
    "word" is a listed name in lower case that was left since it is an ordinary word.
    """

    turn: int
    start: int
    end: int
    text: str
    kind: Kind


_STAND_IN = re.compile(r"\[[^\[\]\n]{1,120}\]")
_ENDINGS = "com|org|net|edu|gov|io|ai|dev|app|co|cn|de|uk|eu|fr|jp|kr|in|ch|nl|se|ru|br|ca|au|info|me|tech"
_CAP = r"[^\W\d_a-z][\w’'&-]{0,40}"
_NAME = rf"{_CAP}(?:(?: |(?<=\b[^\W\d_])\. ?){_CAP}){{0,4}}"
_HAN = r"[\u4e00-\u9fff]"
_HOST = r"[\w-]{1,63}"
_NO_EMPLOYER = r"(?!(?:them|this|that|it|home|my|our|us|me|you|your|his|her|their|an?|the|some|any|all)\b)"


def _any(_text: str) -> bool:
    return True


def _is_ip(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return text != "::"


def _is_phone(text: str) -> bool:
    digits = sum(letter.isdigit() for letter in text)
    return 7 <= digits <= 15 and (digits >= 9 or not text.isdigit())


def _is_repository(text: str) -> bool:
    return text.casefold() not in _NO_REPOSITORY and any(letter.isalpha() for letter in text)


_NO_REPOSITORY = frozenset(
    "and/or either/or he/she she/he his/her her/his him/her s/he they/them input/output i/o n/a w/o tcp/ip "
    "client/server read/write yes/no true/false on/off km/h train/test question/answer".split()
)

_LOOKS: tuple[tuple[Kind, re.Pattern[str], Callable[[str], bool]], ...] = (
    ("url", re.compile(r"\b(?:(?:https?|ftp|ssh|git)://|www\.)[^\s<>\"]{1,2000}", re.IGNORECASE), _any),
    ("email", re.compile(rf"(?<![\w.+-])[\w.+-]{{1,64}}@{_HOST}(?:\.{_HOST}){{1,8}}"), _any),
    (
        "email",
        re.compile(
            rf"(?<![\w.+-])[\w.+-]{{1,64}} ?(?:\(at\)|\[at\]| at ) ?{_HOST}"
            rf" ?(?:\(dot\)|\[dot\]| dot |\.) ?(?:{_ENDINGS})\b",
            re.IGNORECASE,
        ),
        _any,
    ),
    (
        "url",
        re.compile(rf"(?<![\w@.-])(?:{_HOST}\.){{1,5}}(?:{_ENDINGS})\b(?!\.?\w|\()(?:/[^\s<>\"]{{0,500}})?"),
        _any,
    ),
    (
        "ip",
        re.compile(
            r"(?<![\w.:])(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){2,7})(?![.:]?\w)"
        ),
        _is_ip,
    ),
    (
        "phone",
        re.compile(r"(?<![\w.+:])(?:\+|\(\+?)?\d(?:[ ()./-]{0,2}\d){6,15}(?![\w:]|,\d)"),
        _is_phone,
    ),
    ("handle", re.compile(r"(?<![\w/@.])@\w[\w-]{1,38}"), _any),
    (
        "repository",
        re.compile(r"(?<![\w/.:@-])\w[\w.-]{0,38}/\w[\w.-]{0,99}(?<!\.)(?![\w/])"),
        _is_repository,
    ),
)
"""The first kind that takes a place has it."""

_GROUPED: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        "employer",
        re.compile(
            r"\b(?i:i|we|he|she|they)(?i:['’]m| am| are|['’]re| is|['’]ve| have| has| had| was| were)?"
            r"(?i: been| currently| now| still| also| used to){0,2}"
            r" (?i:work|works|worked|working|employed|intern|interned|interning)"
            r"(?i: remotely| full-time| part-time)? (?i:at|for|with|in)"
            rf" (?i:the |a company called |a )?({_NAME}|{_NO_EMPLOYER}[\w.&-]{{2,40}})"
        ),
    ),
    (
        "employer",
        re.compile(
            rf"(?:我|我们)(?:现在|目前|之前|以前)?在({_HAN}{{2,12}}?|[\w .-]{{2,30}}?)"
            r"(?=公司|工作|上班|实习|任职)"
        ),
    ),
    ("name", re.compile(rf"\b(?i:my name is|call me|i am called|this is) ({_NAME})")),
    ("name", re.compile(rf"\b(?:Dr|Mr|Mrs|Ms|Prof|Professor|Doctor|Sir|Madam)\.? ({_NAME})")),
    ("name", re.compile(rf"(?:我叫|名叫|名字是)({_HAN}{{2,4}})")),
    ("name", re.compile(rf"({_HAN}{{1,3}}(?:先生|女士|小姐|老师|教授|博士|经理|总监|师兄|师姐))")),
    ("name", re.compile(r"(?:שמי|קוראים לי|اسمي) (\w{2,30}(?: \w{2,30})?)")),
)
"""The group is the place."""


def missed(texts: Iterable[str], originals: Sequence[str] = ()) -> list[Suspect]:
    """What could identify somebody in the texts of these turns, in its order, but for stand-ins in brackets.
    `originals` are the listed names: those that are words are looked for in lower case too.
    """
    words = frozenset(key(one) for one in originals if may_be_a_word(one))
    return [suspect for number, text in enumerate(texts) for suspect in _of_turn(number, text, words)]


def _of_turn(number: int, text: str, words: frozenset[str]) -> list[Suspect]:
    taken = _Taken(text)
    for at in _STAND_IN.finditer(text):
        taken.add(at.start(), at.end())
    found: list[tuple[int, int, Kind]] = []
    for kind, start, end in _candidates(text, words):
        if taken.add(start, end):
            found.append((start, end, kind))
    return [Suspect(number, start, end, text[start:end], kind) for start, end, kind in sorted(found)]


def _candidates(text: str, words: frozenset[str]) -> Iterator[tuple[Kind, int, int]]:
    for kind, pattern, is_one in _LOOKS:
        for at in pattern.finditer(text):
            said = at[0].rstrip(".,;:!?)")
            if is_one(said):
                yield kind, at.start(), at.start() + len(said)
    for kind, pattern in _GROUPED:
        for at in pattern.finditer(text):
            yield kind, at.start(1), at.start(1) + len(at[1].rstrip(".,;:!?’'"))
    for start, end, is_pair in capitals_in(text):
        yield "name" if is_pair else "capital", start, end
    if words:
        folded = fold(text)
        for at in re.finditer(r"\w+", folded.text):
            if at[0] in words:
                yield "word", folded.starts[at.start()], folded.ends[at.end() - 1]


class _Taken:
    """The characters of a text that have a kind already."""

    def __init__(self, text: str) -> None:
        self._signs = bytearray(len(text))

    def add(self, start: int, end: int) -> bool:
        """Take these characters, unless one of them is taken."""
        if start >= end or any(self._signs[start:end]):
            return False
        self._signs[start:end] = b"\1" * (end - start)
        return True
