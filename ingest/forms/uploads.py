"""The form that uploads files or takes pasted addresses."""

from collections.abc import Iterator
from io import BytesIO
from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ingest.errors import FileRefused, FileTooLarge
from ingest.files import Readable
from ingest.readers import ENCODINGS, Refusal, UnreadableFile, is_empty_list, sniff_file
from ingest.words import limit_name

MAX_FILES = 100
KINDS = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".gz", ".zip")
ENCODING_NAMES = {
    "utf-16": "UTF-16",
    "gb18030": gettext_lazy("GB 18030 (Chinese)"),
    "big5": gettext_lazy("Big5 (Chinese)"),
    "shift_jis": gettext_lazy("Shift JIS (Japanese)"),
    "euc_jp": gettext_lazy("EUC-JP (Japanese)"),
    "euc_kr": gettext_lazy("EUC-KR (Korean)"),
    "cp1251": gettext_lazy("Windows-1251 (Cyrillic)"),
    "cp1252": gettext_lazy("Windows-1252 (Western European)"),
}


class FilesInput(forms.FileInput):
    allow_multiple_selected = True


class FolderInput(FilesInput):
    """Chooses a folder with all of its files."""

    def __init__(self) -> None:
        super().__init__(attrs={"webkitdirectory": True})


class FilesField(forms.FileField):
    """Files, at most `most`; cleans to a list."""

    widget = FilesInput

    def __init__(self, *, most: int = MAX_FILES, **fields: Any) -> None:
        self.most = most
        super().__init__(**fields)

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile]:
        given = [file for file in data if file] if isinstance(data, (list, tuple)) else [data] if data else []
        if len(given) > self.most:
            raise forms.ValidationError(_("Choose at most %(n)d files at once.") % {"n": self.most})
        return [super(FilesField, self).clean(file, initial) for file in given]


class UploadForm(forms.Form):
    """Files, or addresses one a line. All are checked before any is kept: one bad file refuses all."""

    uploads = FilesField(
        label=gettext_lazy("Files"),
        required=False,
        allow_empty_file=True,
        max_length=255,
        widget=FilesInput(attrs={"accept": ",".join(KINDS)}),
    )
    folder = FilesField(
        label=gettext_lazy("Folder"),
        required=False,
        most=300,
        allow_empty_file=True,
        max_length=255,
        widget=FolderInput,
    )
    urls = forms.CharField(
        label=gettext_lazy("Addresses"),
        required=False,
        strip=False,
        widget=forms.Textarea(
            attrs={
                "rows": 5,
                "class": "mono sm",
                "spellcheck": "false",
                "placeholder": "https://github.com/vllm-project/vllm/issues/129",
            }
        ),
        help_text=gettext_lazy(
            "One per line, up to 2 MB. You can write owner/repository#129 for an issue on GitHub."
        ),
    )
    encoding = forms.ChoiceField(
        label=gettext_lazy("Encoding of the files"),
        required=False,
        choices=[
            ("", gettext_lazy("UTF-8, or the encoding of the byte order mark")),
            *((name, ENCODING_NAMES[name]) for name in ENCODINGS if name in ENCODING_NAMES),
        ],
        help_text=gettext_lazy(
            "Only if a file was refused because of its encoding. The encoding is never guessed."
        ),
    )

    def __init__(self, *args: Any, **fields: Any) -> None:
        super().__init__(*args, **fields)
        self._empty: list[tuple[UploadedFile, Refusal]] = []

    @property
    def empty(self) -> list[str]:
        """The names of the lists with no line, which came beside other files: nothing is imported of them."""
        return [str(file.name) for file, _refusal in self._empty]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        # A folder brings what is in it: other kinds of files are left there.
        inside = [file for file in cleaned.get("folder") or [] if _is_of_a_kind(str(file.name))]
        given = cleaned["uploads"] = [*(cleaned.get("uploads") or []), *inside]
        if len(given) > MAX_FILES:
            self.add_error("uploads", _("Choose at most %(n)d files at once.") % {"n": MAX_FILES})
            return cleaned
        pasted = cleaned.get("urls") or ""
        if not self.errors and not given and not pasted.strip():
            raise forms.ValidationError(_("Choose a file, or paste addresses."), code="nothing")
        if sum(file.size or 0 for file in given) > settings.UPLOAD_MAX_BYTES and len(given) > 1:
            error = FileTooLarge(_("This upload"), settings.UPLOAD_MAX_BYTES)
            self.add_error("uploads", str(error.message))
            return cleaned
        for file in given:
            self._look_at("uploads", str(file.name), file, file.size or 0)
        if self._empty and len(self._empty) == len(given) and not pasted.strip():
            for file, refusal in self._empty:
                self.add_error("uploads", str(FileRefused(str(file.name), refusal).message))
        if pasted.strip():
            data = _stored(pasted)
            self._look_at("urls", "", BytesIO(data), len(data))
        return cleaned

    def _look_at(self, field: str, name: str, stream: Any, size: int) -> None:
        """Add an error to the form if nothing of the file can be taken."""
        if size > settings.UPLOAD_MAX_BYTES:
            self.add_error(field, str(FileTooLarge(name, settings.UPLOAD_MAX_BYTES).message))
            return
        encoding = self.cleaned_data.get("encoding") or None
        try:
            sniff_file(stream, name, encoding=encoding if field == "uploads" else None)
        except UnreadableFile as unreadable:
            if is_empty_list(name, unreadable.refusal):
                self._empty.append((stream, unreadable.refusal))
            else:
                self.add_error(field, str(FileRefused(name, unreadable.refusal).message))
        stream.seek(0)

    def streams(self) -> Iterator[tuple[str, Readable, str | None]]:
        """Name, stream and chosen encoding of each file that is not empty, the pasted addresses last."""
        empty = [file for file, _refusal in self._empty]
        for file in self.cleaned_data["uploads"]:
            if file not in empty:
                yield str(file.name), file, self.cleaned_data["encoding"] or None
        if self.cleaned_data["urls"].strip():
            yield _("Pasted addresses"), BytesIO(_stored(self.cleaned_data["urls"])), None

    @property
    def most(self) -> int:
        return MAX_FILES

    @property
    def limit(self) -> str:
        return limit_name(settings.UPLOAD_MAX_BYTES)


def _is_of_a_kind(name: str) -> bool:
    return not name.startswith(".") and name.lower().endswith(KINDS)


def _stored(pasted: str) -> bytes:
    return pasted.replace("\r\n", "\n").encode("utf-8", "surrogatepass")
