"""The reasons for which a reader refuses a line or a file, in words. The readers know only English: a caller
passes each template through gettext, `refusal.text(gettext)`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import get_args

from ingest.addresses import BadAddress, Reason

RAW_LENGTH = 2000
"""The number of characters that are kept of a refused line."""


class Word(str):
    """A parameter that is an English word for translation, not a text of the file."""

    __slots__ = ()


def gettext_noop(text: str) -> str:
    """Mark a text for makemessages; returns it unchanged."""
    return text


TEMPLATES: dict[str, str] = {
    # The file as a whole.
    "empty": gettext_noop("the file is empty: it holds no rows."),
    "no_rows": gettext_noop("the file holds no rows."),
    "html": gettext_noop(
        "this is an HTML page, not a list of issues: the site may have answered with a sign-in or error "
        "page. Download the file itself and try again."
    ),
    "xml": gettext_noop("this is an XML file. Save the rows as CSV (UTF-8), JSON or JSONL and try again."),
    "binary": gettext_noop(
        "this is %(kind)s, not text. Save the rows as CSV (UTF-8), JSON or JSONL and try again."
    ),
    "archive": gettext_noop("this is %(kind)s. Unpack it, pack its files as ZIP or gzip, and try again."),
    "packed_cut": gettext_noop(
        "the gzip file ends too early, after %(bytes)d unpacked bytes. Fetch it again whole."
    ),
    "packed_damaged": gettext_noop(
        "the packed file is damaged after %(bytes)d unpacked bytes. Fetch it or pack it again."
    ),
    "packed_otherwise": gettext_noop(
        "the file is packed by a method that is not read here. Pack it as an ordinary ZIP archive."
    ),
    "encrypted": gettext_noop("the file is locked by a password. Pack it without a password."),
    "nested": gettext_noop(
        "this is an archive inside an archive. Unpack it and pack its files into one ZIP."
    ),
    "unpacked_too_large": gettext_noop(
        "the file has more than %(limit)d bytes when it is unpacked. Split it and load the parts."
    ),
    "bomb": gettext_noop(
        "unpacked, the file is more than %(times)d times as large as packed, which no list of issues is. "
        "Unpack it, check it, and load what it holds."
    ),
    "zip_damaged": gettext_noop("the ZIP archive is cut or damaged. Fetch it or pack it again."),
    "many_files": gettext_noop("the ZIP archive has more than %(limit)d files. Pack fewer files into one."),
    "file_twice": gettext_noop(
        'the ZIP archive has two files named "%(name)s". Rename one of them and pack the files again.'
    ),
    "no_files": gettext_noop("the ZIP archive holds no files."),
    "encoding": gettext_noop(
        "byte 0x%(byte)s is not UTF-8, and the file does not say which encoding it has. "
        "Save it as UTF-8 and try again."
    ),
    "encoding_likely": gettext_noop(
        "byte 0x%(byte)s is not UTF-8; encoding %(likely)s detected. "
        "Save the file as UTF-8, or choose that encoding, and try again."
    ),
    "encoding_other": gettext_noop("encoding %(encoding)s detected. Save the file as UTF-8 and try again."),
    "line_ends": gettext_noop(
        "the lines end with carriage returns only, as on old Macintoshes. Save the file with LF or CRLF "
        "line ends and try again."
    ),
    "file_too_large": gettext_noop("the file has more than %(limit)d bytes. Split it and load the parts."),
    "too_many_rows": gettext_noop("the file has more than %(limit)d rows. Split it and load the parts."),
    "forge_error": gettext_noop(
        'the forge answered with an error, not with issues: "%(text)s". Ask it again and load its new answer.'
    ),
    "more_pages": gettext_noop(
        "the last page of this file is followed by another page. Load the missing pages as well."
    ),
    # Columns and keys.
    "delimiter": gettext_noop(
        "the columns cannot be separated. Use commas, semicolons or tabs, and name one of the columns url, "
        "issue_url, html_url or link."
    ),
    "no_header": gettext_noop(
        "the first row is an issue already, where the names of the columns are expected. Add a row with the "
        "names, one of them url."
    ),
    "duplicate_header": gettext_noop(
        'columns %(first)d and %(second)d are both named "%(name)s". Rename or remove one of them.'
    ),
    "ambiguous_header": gettext_noop(
        'the columns "%(first)s" and "%(second)s" both name the %(field)s. Rename or remove one of them.'
    ),
    "no_url_column": gettext_noop(
        "no column holds the address of the issue; the columns are %(columns)s. Name one of them url, "
        "issue_url, html_url or link."
    ),
    "no_url_key": gettext_noop(
        "no key holds the address of the issue; the keys are %(columns)s. Name one of them html_url, url, "
        "issue_url or link."
    ),
    # Rows.
    "ragged": gettext_noop(
        "the row has %(cells)d cells, the header has %(columns)d. Quote the cells that hold a delimiter, or "
        "add what is missing."
    ),
    "quotes": gettext_noop(
        'the quotation marks do not fit together (%(reason)s). Put the whole cell in " and double each " '
        "inside it."
    ),
    "unclosed_quote": gettext_noop(
        'a cell opened with " here does not end within %(limit)d characters. Close it, or double the ".'
    ),
    "line_too_long": gettext_noop("the line has more than %(limit)d characters. Shorten it."),
    "wrong_bytes": gettext_noop(
        "byte 0x%(byte)s is not %(encoding)s: the row comes from another encoding. Save the file as UTF-8."
    ),
    "cell_too_long": gettext_noop(
        '"%(key)s" has %(length)d characters, more than the %(limit)d allowed. Shorten it.'
    ),
    "json_syntax": gettext_noop("this is not valid JSON (%(reason)s, column %(column)d). Mend it."),
    "json_deep": gettext_noop("the JSON is nested too deeply. Load a list of issues."),
    "json_cut": gettext_noop("the file ends in the middle of the JSON. Fetch it again whole."),
    "line_cut": gettext_noop("the line ends in the middle of its JSON. Write the whole record on this line."),
    "bad_frame": gettext_noop(
        'the column "%(key)s" is no object of its rows. Write the frame with orient="records" and lines=True.'
    ),
    "frame_too_large": gettext_noop(
        "the frame is written column by column and has more than %(limit)d characters. "
        'Write it with orient="records" and lines=True.'
    ),
    "duplicate_key": gettext_noop('the key "%(key)s" occurs twice in one object. Remove one of them.'),
    "record_too_long": gettext_noop(
        "the record has more than %(limit)d characters. Shorten it, or leave out its discussion."
    ),
    "not_an_object": gettext_noop("the record is %(kind)s, not an object with keys."),
    "not_text": gettext_noop('"%(key)s" is %(kind)s, where a text is expected.'),
    "bad_code": gettext_noop(
        '"%(key)s" holds NUL, half a character or another control character. Remove it.'
    ),
    "no_url": gettext_noop('"%(key)s" is empty: no address of an issue. Fill it in.'),
    "no_host": gettext_noop(
        '"%(key)s" holds "%(value)s", a repository without its host. Type the host, such as github.com, '
        "on the page of the file."
    ),
    "bad_cell": gettext_noop('"%(key)s" holds an object or a list that cannot be read. Write it as JSON.'),
    "bad_time": gettext_noop(
        '"%(key)s" holds "%(value)s", which cannot be read as a time. Write it as 2024-05-31T09:30:00Z.'
    ),
    "no_zone": gettext_noop(
        '"%(key)s" holds "%(value)s", a time without a time zone. Write it as 2024-05-31T09:30:00Z.'
    ),
    "bad_labels": gettext_noop('"%(key)s" cannot be read as labels. Separate their names by ; or |.'),
    "rich_text": gettext_noop(
        '"%(key)s" is a document of Jira that cannot be read. Ask Jira by /rest/api/2/, for plain texts.'
    ),
    "comment_alone": gettext_noop(
        "this is a comment, not an issue. Pack the file of the issues and that of the comments as one ZIP "
        "archive."
    ),
    "bad_comments": gettext_noop('"%(key)s" is neither a count nor a list of comments.'),
    "number_differs": gettext_noop(
        '"%(key)s" is %(number)s, but the number in the address is %(address)s. Correct one of them.'
    ),
    # Published studies.
    "not_published": gettext_noop(
        "the first line must be Issue_URL,Label1,…,LabelN,Final_Label; column %(column)d is %(name)s."
    ),
    "labels_differ": gettext_noop(
        "the file has %(count)d columns of labels, %(other)s has %(others)d. All files of a study have the "
        "same number."
    ),
    "bad_label": gettext_noop(
        '%(key)s holds "%(text)s": a code has no spaces, line breaks or control characters. Correct it.'
    ),
    "no_folder": gettext_noop("there is no such folder."),
    "no_study": gettext_noop("the folder holds no <Repo>/<Repo>.csv and no <Repo>/<Repo>_<year>.txt."),
    "unknown_codes": gettext_noop("the taxonomy has no category %(codes)s."),
    "twin": gettext_noop(
        "this is the issue of %(file)s, line %(line)d, again, with other labels. Correct one of the rows, or "
        "import without --strict."
    ),
    "taxonomy": "%(cause)s",
    "many_refused": gettext_noop("more than %(limit)d lines were refused. Correct these lines first."),
    "files_twice": gettext_noop('two files have the name "%(name)s". Leave out one of them and try again.'),
    "two_studies": gettext_noop(
        'the folders "%(first)s" and "%(second)s" both contain repositories. Choose only one of them.'
    ),
    "two_letter_cases": gettext_noop(
        'the names of this folder and of "%(other)s" differ in upper and lower case only. Rename or remove '
        "one of them."
    ),
    # Addresses, by the reason that ingest.addresses gives.
    "address_empty": gettext_noop("the address of the issue is empty. Fill it in."),
    "address_too_long": gettext_noop(
        "the address of the issue is too long. Leave out what follows its number."
    ),
    "address_control": gettext_noop(
        "the address of the issue holds a control character, NUL or half a character. Remove it."
    ),
    "address_space": gettext_noop('"%(url)s" is not the address of an issue: it holds a space.'),
    "address_scheme": gettext_noop(
        '"%(url)s" is not the address of an issue: it does not begin with https:// or http://.'
    ),
    "address_host": gettext_noop('"%(url)s" is not the address of an issue: its host name cannot be read.'),
    "address_escape": gettext_noop(
        '"%(url)s" is not the address of an issue: its %%-escapes cannot be read.'
    ),
    "address_shape": gettext_noop(
        '"%(url)s" is not the address of an issue. Write it as https://github.com/owner/repository/issues/129.'
    ),
    "address_repository": gettext_noop(
        '"%(url)s" is not the address of an issue: no forge allows such a repository name.'
    ),
    "address_number": gettext_noop('"%(url)s" is not the address of an issue: its number cannot be read.'),
    "address_discussion": gettext_noop('"%(url)s" is the address of a discussion, not of an issue.'),
}
"""For each code the cause and what to do, with named parameters."""

assert {f"address_{reason}" for reason in get_args(Reason)} <= TEMPLATES.keys()  # noqa: S101 - of this file

WORDS: dict[type, Word] = {
    dict: Word(gettext_noop("an object")),
    list: Word(gettext_noop("a list")),
    str: Word(gettext_noop("a text")),
    bool: Word(gettext_noop("true or false")),
    int: Word(gettext_noop("a number")),
    float: Word(gettext_noop("a number")),
    type(None): Word(gettext_noop("null")),
}
"""The names of JSON types in messages."""

FILE_AND_LINE = gettext_noop("%(file)s, line %(line)d: %(cause)s")
FILE = gettext_noop("%(file)s: %(cause)s")
LINE_AND_RECORD = gettext_noop("Line %(line)d, record %(record)d: %(cause)s")
LINE = gettext_noop("Line %(line)d: %(cause)s")
REST = gettext_noop("The rest of the file was not read.")

Params = Mapping[str, str | int]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A line, or a file (line 0), that was not taken, and why.

    `line` counts from 1; so does `record`, in JSON, where one line can contain many, elsewhere it is 0. `raw`
    is the line, shortened and fit to be stored. `fatal`: the rest after this line was not read.
    """

    line: int
    code: str
    params: Params = field(default_factory=dict)
    raw: str = ""
    record: int = 0
    fatal: bool = False
    file: str = ""

    @property
    def message(self) -> str:
        """Line, cause and what to do, in English."""
        return self.text()

    def text(self, translate: Callable[[str], str] = str) -> str:
        """Line, cause and what to do; each template is passed through `translate`."""
        params = {
            key: translate(value) if isinstance(value, Word) else value for key, value in self.params.items()
        }
        cause = translate(TEMPLATES[self.code]) % params
        if self.fatal and self.line:
            cause = f"{cause} {translate(REST)}"
        place = {"file": self.file, "line": self.line, "record": self.record, "cause": cause}
        if self.file:
            return translate(FILE_AND_LINE if self.line else FILE) % place
        if not self.line:
            return cause[:1].upper() + cause[1:]
        return translate(LINE_AND_RECORD if self.record else LINE) % place


class Refused(Exception):
    """Raised inside the readers for a refused record. The reader, which knows the line, makes the refusal."""

    def __init__(self, code: str, **params: str | int) -> None:
        super().__init__(code)
        self.code = code
        self.params = params


class UnreadableFile(Exception):
    """Nothing of the file can be taken; `refusal` is the reason."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


def refused_address(error: BadAddress, url: str) -> Refused:
    """The refusal of a record with an unreadable URL."""
    return Refused(f"address_{error.reason}", url=excerpt(url))


def kind_of(value: object) -> Word:
    """The name of a JSON value's type, for messages."""
    return WORDS.get(type(value), WORDS[str])


def excerpt(text: str, length: int = 80) -> str:
    """The beginning of a text from a file, on one line, fit to be shown and stored."""
    shown = storable(text[: length + 1]).translate(_ON_ONE_LINE)
    return shown if len(text) <= length else shown[: length - 1] + "…"


def storable(text: str) -> str:
    """The text with U+FFFD for characters that a database does not store: NUL and lone surrogates."""
    return _UNSTORABLE.sub("\ufffd", text)


_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_ON_ONE_LINE = dict.fromkeys((*range(32), 0x7F, 0x85, 0x2028, 0x2029), " ")
