"""The form that uploads published labels: files, a folder, or ZIP archives of them."""

import json
from collections import Counter
from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ingest.errors import FileTooLarge
from ingest.files import Readable
from ingest.forms.uploads import FilesField, FilesInput, FolderInput
from ingest.readers.laid_out import may_be_taken
from ingest.words import limit_name
from replication.actions.uploads import ImportNames
from replication.queries.published import has_round
from studies.models import Study

MAX_FILES = 300
MAX_NAME = 1000


class PublishedForm(forms.Form):
    """Files and a folder. `paths` are their names with folders as JSON, from the page's script: a browser
    sends names alone. `left` are names of files that the script did not send.
    """

    uploads = FilesField(
        label=gettext_lazy("Files or ZIP archives"),
        required=False,
        most=MAX_FILES,
        allow_empty_file=True,
        max_length=255,
        widget=FilesInput(attrs={"accept": ".csv,.txt,.zip"}),
    )
    folder = FilesField(
        label=gettext_lazy("Folder"),
        required=False,
        most=MAX_FILES,
        allow_empty_file=True,
        max_length=255,
        widget=FolderInput,
    )
    paths = forms.CharField(required=False, strip=False, max_length=1_000_000, widget=forms.HiddenInput)
    left = forms.CharField(required=False, strip=False, max_length=1_000_000, widget=forms.HiddenInput)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        given: list[UploadedFile] = [*(cleaned.get("uploads") or []), *(cleaned.get("folder") or [])]
        names = _texts(cleaned.get("paths", ""))
        if len(names) != len(given):
            names = [str(file.name) for file in given]
        taken = [name for name in names if may_be_taken(name)]
        self._streams = [pair for pair in zip(names, given, strict=True) if pair[0] in set(taken)]
        self._left = [name for name in names if name not in set(taken)] + _texts(cleaned.get("left", ""))
        if self.errors:
            return cleaned
        if not given:
            raise forms.ValidationError(_("Choose files, a folder or a ZIP archive."), code="nothing")
        if not taken:
            raise forms.ValidationError(
                _("None of these files can hold published labels. Choose .csv, .txt or .zip files."),
                code="nothing",
            )
        twice = next((name for name, times in Counter(taken).items() if times > 1), None)
        if twice:
            raise forms.ValidationError(
                _("Two files have the name %(name)s. Choose one of them, or a ZIP archive of the folder.")
                % {"name": twice},
                code="twice",
            )
        if sum(file.size or 0 for _name, file in self._streams) > settings.UPLOAD_MAX_BYTES:
            error = FileTooLarge(_("This upload"), settings.UPLOAD_MAX_BYTES)
            raise forms.ValidationError(str(error.message), code="too_large")
        return cleaned

    @property
    def streams(self) -> list[tuple[str, Readable]]:
        """Name and content of each file that may be a part of a published study."""
        return list(self._streams)

    @property
    def others(self) -> list[str]:
        """The names of the other files."""
        return self._left

    @property
    def limit(self) -> str:
        return limit_name(settings.UPLOAD_MAX_BYTES)


class NamesForm(forms.Form):
    """The names of what an import makes, proposed in the reader's language: they are the reader's text. An
    emptied name is the proposed one.
    """

    round_name = forms.CharField(
        label=gettext_lazy("Name of the round"),
        max_length=120,
        required=False,
        initial=gettext_lazy("Main round"),
        widget=forms.TextInput(attrs={"form": "confirm-import"}),
    )
    taxonomy_name = forms.CharField(
        label=gettext_lazy("Name of the taxonomy"),
        max_length=120,
        required=False,
        initial=gettext_lazy("Challenges"),
        widget=forms.TextInput(attrs={"form": "confirm-import"}),
    )

    def __init__(self, data: Any = None, *, study: Study, given: ImportNames | None = None) -> None:
        """`given`: the names of a confirmation whose import was not stored, in place of the proposals."""
        known = {"round_name": given.round, "taxonomy_name": given.taxonomy} if given else {}
        super().__init__(data, initial={name: text for name, text in known.items() if text})
        self.study = study

    def clean_round_name(self) -> str:
        name = self._typed_or_proposed("round_name")
        if has_round(self.study, name):
            words = _("The study already has a round with this name. Choose another name.")
            raise forms.ValidationError(words, code="taken")
        return name

    def clean_taxonomy_name(self) -> str:
        return self._typed_or_proposed("taxonomy_name")

    def _typed_or_proposed(self, name: str) -> str:
        return str(self.cleaned_data[name] or self.fields[name].initial)

    @property
    def names(self) -> ImportNames:
        return ImportNames(self.cleaned_data["round_name"], self.cleaned_data["taxonomy_name"])


def _texts(given: str) -> list[str]:
    """A list of names from JSON; [] for anything else."""
    try:
        found = json.loads(given) if given else []
    except (ValueError, RecursionError):
        return []
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
        return []
    return [name.replace("\0", "")[-MAX_NAME:] for name in found]
