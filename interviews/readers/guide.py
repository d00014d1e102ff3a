"""A guide of interviews in Markdown: its parts with objective and minutes, and their questions with the
audience that is asked. The Markdown stays the source; this only says what it contains.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from markdown_it import MarkdownIt
from markdown_it.token import Token

from interviews.readers.refusals import Note, Notes, Unreadable
from interviews.readers.text import lines_of

LONGEST_TEXT = 200_000
MOST_QUESTIONS = 1_000

Minutes = tuple[int, int]
"""From and to; equal for one number."""

_NUMBERS = {word: number for number, word in enumerate(
    "one two three four five six seven eight nine ten".split(), 1
)} | {sign: number for number, sign in enumerate("一二三四五六七八九十", 1)}  # fmt: skip
_NUMBER = rf"(\d{{1,3}}|{'|'.join(_NUMBERS)})"
_FOR = re.compile(r"(?:questions\s+)?for\s+(?:the\s+)?(\S.*)|(?:对|面向|针对)\s*(\S.*)", re.IGNORECASE)
_FOR_ALL = re.compile(
    r"(?:questions?|all(?: participants)?|everybody|everyone|both|问题|所有人|全体|全部)", re.IGNORECASE
)
_LABEL = re.compile(r"\*\*([^*:：]{1,60})(?:[:：]\s*\*\*|\*\*\s*[:：])\s*(.*)", re.DOTALL)
_RANKS = re.compile(r"\brank\b|\bput\b.{1,60}\bin order\b|排序|排名|排列", re.IGNORECASE | re.DOTALL)
_TOP = re.compile(
    rf"\b(?:top|first)[\s-]+{_NUMBER}\b|\b{_NUMBER}\s+(?:most|main|biggest)\b|前\s*{_NUMBER}", re.IGNORECASE
)
_MINUTES = re.compile(
    r"(\d{1,3})(?:\s*(?:[-–—~～至到]|to)\s*(\d{1,3}))?\s*(?:min(?:ute)?s?\b\.?|分钟)", re.IGNORECASE
)
_ONLY_NUMBER = re.compile(r"\s*(\d{1,3})(?:\s*(?:[-–—~～至到]|to)\s*(\d{1,3}))?\s*\.?\s*")
_OBJECTIVES = {"objective", "objectives", "goal", "aim", "目标", "目的"}
_TIMES = {"minutes", "time", "duration", "length", "时间", "时长", "分钟"}
_PURPOSES = {"purpose", "目的", "研究目的"}
_QUESTIONS = {"questions", "question", "问题"}
_PARTS = ("bullet_list_open", "ordered_list_open")


@dataclass(frozen=True, slots=True)
class Question:
    """`audience` is the name of a group as the guide says it, None for all. `top` is the number of first
    places that a ranking asks for, None for all.
    """

    line: int
    text: str
    audience: str | None = None
    is_ranking: bool = False
    top: int | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """`minutes` is what it may take: of 10–15 the 15."""

    line: int
    title: str
    objective: str = ""
    minutes: int | None = None
    questions: tuple[Question, ...] = ()


@dataclass(frozen=True, slots=True)
class Guide:
    """`intro` is the text before the first part; `minutes` is the time for the whole interview. Problems
    refuse nothing.
    """

    title: str = ""
    purpose: str = ""
    intro: str = ""
    minutes: Minutes | None = None
    parts: tuple[Part, ...] = ()
    problems: tuple[Note, ...] = ()

    @property
    def audiences(self) -> tuple[str, ...]:
        """The groups that the guide names, in their order."""
        named = (question.audience for part in self.parts for question in part.questions)
        return tuple(dict.fromkeys(name for name in named if name is not None))


def read_guide(text: str) -> Guide:
    """What a guide in Markdown says. Raises Unreadable for a text that is too long or cannot be stored."""
    if len(text) > LONGEST_TEXT:
        raise Unreadable("too_long", limit=LONGEST_TEXT)
    lines = [line for _number, line in lines_of(text)]
    reading = _Reading(lines)
    tokens = _tokens("\n".join(lines))
    title, level = _levels(tokens)
    place = 0
    while place < len(tokens):
        token = tokens[place]
        if token.type == "heading_open":
            heading = " ".join(tokens[place + 1].content.split())
            reading.heading(heading, _line(token), int(token.tag[1:]), level, is_title=token is title)
        elif token.type == "paragraph_open" and token.level == 0:
            reading.paragraph(tokens[place + 1].content, _line(token))
        elif token.type in _PARTS and token.level == 0:
            end = _end(tokens, place)
            reading.list_of(tokens[place : end + 1])
            place = end
        place += 1
    return reading.guide()


class _Reading:
    """Takes the blocks of a guide in their order."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._notes = Notes()
        self._title = self._purpose = ""
        self._wants_purpose = False
        self._audience: str | None = None
        self._parts: list[Part] = []
        self._questions: list[list[Question]] = []
        self._count = 0
        self._first_line = len(lines) + 1
        self._before: list[str] = []

    def heading(self, heading: str, line: int, level: int, of_parts: int, *, is_title: bool) -> None:
        self._wants_purpose = False
        if is_title:
            self._title = heading
        elif level <= of_parts:
            self._first_line = min(self._first_line, line)
            minutes = _minutes(heading)
            bare = _MINUTES.sub("", heading).replace("()", "").replace("（）", "") if minutes else heading
            self._parts.append(Part(line, bare.strip(" .,-–—:："), minutes=minutes and minutes[1]))
            self._questions.append([])
            self._audience = None
        elif self._parts:
            self._audience = _audience(heading)

    def paragraph(self, text: str, line: int) -> None:
        found = _LABEL.match(text)
        label = found[1].strip().casefold() if found else ""
        said = _joined(found[2] if found else text)
        if not self._parts:
            if label in _PURPOSES or self._wants_purpose:
                self._purpose = self._purpose or said
            self._wants_purpose = label in _PURPOSES and not said
            self._before.append(text)
        elif label in _OBJECTIVES:
            self._set(line, found[1] if found else "", objective=said)
        elif label in _TIMES:
            minutes = _minutes(said, alone=True)
            self._set(line, found[1] if found else "", minutes=minutes and minutes[1])
        elif label in _QUESTIONS and not said:
            pass
        elif not found and (minutes := _minutes(text)) and len(text) < 60:
            self._set(line, text, minutes=minutes[1])
        elif not found or label in _QUESTIONS:
            self._notes.add(line, "in_no_list")

    def _set(self, line: int, name: str, **values: object) -> None:
        """Set a value of the part that is read, unless it has one."""
        (key, value), part = *values.items(), self._parts[-1]
        if getattr(part, key):
            self._notes.add(line, "said_twice", name=name[:60])
        elif value:
            self._parts[-1] = replace(part, **{key: value})  # type: ignore[arg-type]  # a field of Part

    def list_of(self, tokens: Sequence[Token]) -> None:
        """A list: its items are questions, and what is inside an item belongs to it."""
        if not self._parts:
            self._before += [token.content for token in tokens if token.type == "inline"]
            return
        for place, token in enumerate(tokens):
            if token.type == "list_item_open" and token.level == 1:
                self._ask(_item(tokens[place : _end(tokens, place)]), _line(token))

    def _ask(self, text: str, line: int) -> None:
        if not text:
            return
        self._count += 1
        if self._count > MOST_QUESTIONS:
            raise Unreadable("many_questions", line=line, limit=MOST_QUESTIONS)
        ranks = bool(_RANKS.search(text))
        top = _top(text) if ranks else None
        self._questions[-1].append(Question(line, text, self._audience, ranks, top))

    def guide(self) -> Guide:
        parts = []
        for part, questions in zip(self._parts, self._questions, strict=True):
            if not questions:
                self._notes.add(part.line, "no_questions")
            parts.append(replace(part, questions=tuple(questions)))
        if not parts:
            self._notes.add(0, "no_parts")
        intro = "\n".join(self._lines[: self._first_line - 1]).strip().removesuffix("---").rstrip()
        total = next(filter(None, map(_minutes, self._before)), None)
        return Guide(self._title, self._purpose, intro, total, tuple(parts), self._notes.all())


def _tokens(text: str) -> list[Token]:
    """The blocks; what is inside a line stays text."""
    markdown = MarkdownIt("commonmark", {"html": False})
    markdown.core.ruler.enableOnly(["normalize", "block"])
    return markdown.parse(text)


def _levels(tokens: Sequence[Token]) -> tuple[Token | None, int]:
    """The heading that is the title of the guide, if one is, and the level of the headings of parts."""
    headings = [token for token in tokens if token.type == "heading_open" and token.level == 0]
    levels = [int(token.tag[1:]) for token in headings]
    if len(levels) > 1 and levels[0] == 1 and levels.count(1) == 1:
        return headings[0], min(levels[1:])
    return None, min(levels, default=6)


def _end(tokens: Sequence[Token], place: int) -> int:
    """The place of the token that closes the one at `place`."""
    opened = tokens[place]
    closing = opened.type.replace("_open", "_close")
    at = place + 1
    while tokens[at].type != closing or tokens[at].level != opened.level:
        at += 1
    return at


def _item(tokens: Sequence[Token]) -> str:
    """The text of an item of a list; items inside it as further lines."""
    said: list[str] = []
    mark = ""
    for token in tokens[1:]:
        if token.type == "list_item_open":
            mark = "- "
        elif token.type in {"inline", "fence", "code_block"} and token.content.strip():
            said.append(mark + _joined(token.content))
            mark = ""
    return "\n".join(said)


def _audience(heading: str) -> str | None:
    """The audience that a heading inside a part names; None where it names all."""
    bare = heading.strip(" *_:：")
    found = _FOR.fullmatch(bare)
    name = (found[1] or found[2] if found else bare).strip(" *_:：")
    return None if not name or _FOR_ALL.fullmatch(name) else name


def _minutes(text: str, *, alone: bool = False) -> Minutes | None:
    """The minutes that a text names; with `alone` a number by itself is minutes too."""
    found = _MINUTES.search(text) or (_ONLY_NUMBER.fullmatch(text) if alone else None)
    if not found:
        return None
    first, last = int(found[1]), int(found[2] or found[1])
    return (first, last) if 0 < first <= last else None


def _top(text: str) -> int | None:
    found = _TOP.search(text)
    said = next(filter(None, found.groups()), "").casefold() if found else ""
    number = int(said) if said.isdigit() else _NUMBERS.get(said)
    return number or None


def _joined(text: str) -> str:
    return " ".join(text.split())


def _line(token: Token) -> int:
    return token.map[0] + 1 if token.map else 0


__all__ = ["Guide", "Part", "Question", "read_guide"]
