"""Checks the words that people read: `.venv/bin/python scripts/check_words.py annotate rounds`, or all rooms.

Collects every text of Python code and templates that goes through gettext, and prints `file:line: what is
wrong: the text`. The words to avoid, the verbs of buttons and the exceptions are in words.toml beside
this file.
"""

import ast
import html
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from django.template.base import Token, TokenType

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.texts import ROOT, of_python, of_template

TABLES = Path(__file__).with_name("words.toml")
LONGEST_SENTENCE = 25
LONGEST_HINT = 2
NO_ROOMS = ("tests", "bench", "scripts")
OTHER_FOLDERS = {"account": "accounts"}
"""Folders of templates that are not named for their room; all others without a room are of `core`."""

# --- What a text is for

ROLES = {"help_text": "hint", "action": "button", "submit": "button", "button": "button"}
"""What a text is for that is given under this name."""
TAG = re.compile(r"""<!--.*?-->|<(/?)([a-zA-Z][\w-]*)((?:[^<>"']|"[^"]*"|'[^']*')*)>""", re.DOTALL)
VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "track", "wbr", "path", "use"}
ATTRIBUTE = re.compile(r"""([\w-]+)=["'][^"']*$""")
NAMED = re.compile(r"""(\w+)=_\(["']([^"']*)["']\)""")
AS = re.compile(r"\bas(?:var)? (\w+)")


@dataclass(frozen=True)
class Said:
    """One text that a person reads. `role` is "button", "hint", or "" for all others."""

    line: int
    text: str
    role: str = ""


def said_in_code(source: str) -> Iterator[Said]:
    """The texts of a Python file; plurals are texts of their own."""
    roles: dict[tuple[int, object], str] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.keyword) and node.arg in ROLES and isinstance(node.value, ast.Call):
            constants = [one.value for one in node.value.args if isinstance(one, ast.Constant)]
            roles |= {(node.value.lineno, constant): ROLES[node.arg] for constant in constants}
    for text in of_python(source, ""):
        for said in filter(None, (text.singular, text.plural)):
            yield Said(text.line, said, roles.get((text.line, text.singular), ""))


def said_in_template(source: str) -> Iterator[Said]:
    """The texts of a template; plurals are texts of their own."""
    markup = Markup()
    for text in of_template(source, "", markup.see):
        for said in filter(None, (text.singular, text.plural)):
            yield Said(text.line, said, markup.role_of(text.singular))


@dataclass
class Markup:
    """Where in the HTML of a template a text is: the open elements, and the beginning of an open tag."""

    stack: list[tuple[str, str]] = field(default_factory=list)
    rest: str = ""
    last: str = ""

    def see(self, token: Token) -> None:
        """Read on."""
        self.last = token.contents
        if token.token_type == TokenType.TEXT:
            self.feed(token.contents)

    def feed(self, text: str) -> None:
        """Read on in HTML."""
        self.rest += text
        end = 0
        for tag in TAG.finditer(self.rest):
            end = tag.end()
            closes, name, attributes = tag.groups()
            if name is None or name.lower() in VOID or attributes.endswith("/"):
                continue
            if not closes:
                self.stack.append((name.lower(), attributes))
            elif any(name.lower() == opened for opened, _ in self.stack):
                while self.stack.pop()[0] != name.lower():
                    pass
        self.rest = self.rest[end:]
        start = self.rest.rfind("<")
        self.rest = self.rest[start:] if start >= 0 else ""

    def role_of(self, text: str) -> str:
        """The role of a text of the token that was read last."""
        if named := AS.search(self.last):
            return ROLES.get(named[1], "")
        given = [ROLES[name] for name, said in NAMED.findall(self.last) if said == text and name in ROLES]
        return given[0] if given else self.role

    @property
    def role(self) -> str:
        """The role of a text at this place."""
        inside = list(self.stack)
        if self.rest and (inner := re.match(r"<([a-zA-Z][\w-]*)(.*)", self.rest, re.DOTALL)):
            attribute = ATTRIBUTE.search(self.rest)
            name, attributes = inner[1].lower(), inner[2]
            if attribute and attribute[1] == "value":
                return "button" if name == "input" and re.search(r"type=.submit", attributes) else ""
            if not attribute or attribute[1] != "aria-label":
                return ""
            inside = [(name, attributes)]
        for name, attributes in reversed(inside):
            found = re.search(r"""class=["']([^"']*)""", attributes)
            classes = found[1].split() if found else []
            if "sr" in classes or re.search(r"role=.(tab|option|menuitem)", attributes):
                return ""
            if name == "button" or (name == "a" and "btn" in classes):
                return "button"
            if "hint" in classes:
                return "hint"
        return ""


# --- Rules

MARKUP = re.compile(r"<[^<>]*>")
CODE = re.compile(r"`[^`]*`")
PLACEHOLDER = re.compile(r"%\([^)]*\)[-#0 +.\d]*[a-zA-Z]|%[sd]|\{\w*\}")
ABBREVIATION = re.compile(r"\b(e\.g|i\.e|etc|vs|cf|et al|approx|no|p|pp|Fig|Dr|St)\.", re.IGNORECASE)
SUBJECT = re.compile(r"(It|What|Whatever|Who|Whoever|Those) .*\.[”’)]*$")
BREAK = re.compile(r"""(?:(?<=[.!?…])|(?<=[.!?…]["”’)]))\s+(?=["“‘(]?[A-Z0-9])|\n\s*(?:\n|[-*] |\d+\. )""")


def plain(text: str) -> str:
    """The text as it is read: without tags; a placeholder and a piece of code are one word each."""
    bare = html.unescape(MARKUP.sub(" ", text)).replace("%%", "%")
    return PLACEHOLDER.sub("X", CODE.sub("X", bare))


def sentences(text: str) -> list[str]:
    """The sentences of a text."""
    bare = ABBREVIATION.sub(lambda found: found[0].replace(".", ""), plain(text))
    return [" ".join(one.split()) for one in BREAK.split(bare) if re.search(r"\w", one)]


def words(sentence: str) -> int:
    """How many words a sentence has."""
    return sum(bool(re.search(r"\w", one)) for one in sentence.split())


@dataclass(frozen=True)
class Rules:
    """What words.toml says."""

    avoid: dict[str, str]
    glossary: dict[str, str]
    verbs: Sequence[str]
    other_buttons: dict[str, str]
    exceptions: dict[str, str]

    @cached_property
    def patterns(self) -> list[tuple[re.Pattern[str], str]]:
        """What must not be there, with what to say instead."""
        return [
            (re.compile(rf"\b(?:{word})\b", re.IGNORECASE), better)
            for word, better in (self.avoid | self.glossary).items()
        ]

    @cached_property
    def excepted(self) -> re.Pattern[str]:
        """Where a word is right after all."""
        return re.compile("|".join(self.exceptions) or r"(?!)", re.IGNORECASE)

    def faults(self, text: Said) -> Iterator[str]:
        """What is wrong with a text."""
        said = sentences(text.text)
        for sentence in said:
            if (length := words(sentence)) > LONGEST_SENTENCE:
                yield f"{length} words in a sentence, at most {LONGEST_SENTENCE}"
            if subject := SUBJECT.match(sentence):
                yield f"a sentence about “{subject[1]}”, not about a thing or a person"
        if text.role == "hint" and len(said) > LONGEST_HINT:
            yield f"{len(said)} sentences in a hint, at most {LONGEST_HINT}"
        bare = self.excepted.sub("X", plain(text.text))
        for pattern, better in self.patterns:
            if found := pattern.search(bare):
                yield f"not “{found[0]}” but {better}"
        if "!" in bare:
            yield "an exclamation mark"
        if text.role == "button":
            yield from self._button(" ".join(bare.split()))

    def _button(self, bare: str) -> Iterator[str]:
        # Counts and what follows a first text are no buttons of their own: they begin small.
        if not bare[:1].isupper() or bare.startswith("X") or bare in self.other_buttons:
            return
        first = re.split(r"\W", bare)[0]
        if first not in self.verbs:
            yield f"a button that does not begin with a verb (“{first}”)"
        elif re.search(r"\b(it|them|this|these|those|ones?|everything|all)$", bare):
            yield "a button that does not name its object"


def read_rules(path: Path = TABLES) -> Rules:
    """The tables of a file of words."""
    tables: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    return Rules(**tables)


# --- Marks between texts

BLOCK = re.compile(r"\{%-?\s*blocktrans(?:late)?\b.*?\{%\s*endblocktrans(?:late)?\s*%\}", re.DOTALL)
UNSEEN = re.compile(
    r"\{#.*?#\}|\{% comment %\}.*?\{% endcomment %\}|<(script|style|code)\b.*?</\1>", re.DOTALL
)
SAYS = re.compile(r"\{\{.*?\}\}|\{% (?:translate|since|firstof|include|moment|percent_of) .*?%\}", re.DOTALL)
SILENT = re.compile(r"\{%.*?%\}|</?[a-zA-Z](?:[^<>\"']|\"[^\"]*\"|'[^']*')*>", re.DOTALL)
SAID = "\N{REPLACEMENT CHARACTER}"
BARE_MARK = re.compile(rf"{SAID}[,:;.](?=\s|{SAID}|$)|(?<!\w)\({SAID}+\)", re.MULTILINE)

OTHER_MARK = "Chinese has another mark: {% comma %}, {% colon %}, {% stop %}, or a text with its brackets"


def _with_its_lines(new: str, found: re.Match[str]) -> str:
    """The text instead of what was found, with as many ends of lines."""
    return new + "\n" * found[0].count("\n")


def bare_marks(source: str) -> Iterator[tuple[int, str]]:
    """Marks between the texts of a template, half as wide as Chinese ones: the line and what is around."""
    for pattern, instead in ((UNSEEN, ""), (BLOCK, SAID), (SAYS, SAID), (SILENT, "")):
        # Lines keep their numbers.
        source = pattern.sub(partial(_with_its_lines, instead), source)
    for number, line in enumerate(html.unescape(source).split("\n"), 1):
        if BARE_MARK.search(line):
            yield number, line.strip().replace(SAID, "…")


# --- Files


def rooms(root: Path = ROOT) -> list[str]:
    """The rooms of the house."""
    return sorted(one.parent.name for one in root.glob("*/__init__.py") if one.parent.name not in NO_ROOMS)


def files_of(room: str, root: Path = ROOT) -> Iterator[Path]:
    """The code and the templates of a room."""
    yield from (one for one in sorted((root / room).rglob("*.py")) if "migrations" not in one.parts)
    others = rooms(root)
    for path in sorted((root / "templates").rglob("*.*")):
        folder = path.relative_to(root / "templates").parts[0]
        owner = OTHER_FOLDERS.get(folder, folder)
        if room == (owner if owner in others else "core"):
            yield path


def findings(chosen: Sequence[str], rules: Rules, root: Path = ROOT) -> Iterator[str]:
    """What is wrong in these rooms, a line each."""
    for room in chosen:
        for path in files_of(room, root):
            read = said_in_code if path.suffix == ".py" else said_in_template
            for text in read(path.read_text(encoding="utf-8")):
                for fault in rules.faults(text):
                    shown = " ".join(text.text.split())
                    yield f"{path.relative_to(root)}:{text.line}: {fault}: {shown}"
            if path.suffix == ".html":
                for line, shown in bare_marks(path.read_text(encoding="utf-8")):
                    yield f"{path.relative_to(root)}:{line}: {OTHER_MARK}: {shown}"


def main(arguments: Sequence[str], root: Path = ROOT) -> int:
    """Print what is wrong in the rooms that are named, or in all; 1 if there is anything."""
    rules = read_rules()
    if unknown := set(arguments) - set(rooms(root)):
        print(f"No such room: {', '.join(sorted(unknown))}. The rooms are {', '.join(rooms(root))}.")
        return 2
    found = list(findings(arguments or rooms(root), rules, root))
    print("\n".join(found) or "All words are in order.")
    if found:
        print(f"{len(found)} texts to change; words.toml beside this script has the tables.")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
