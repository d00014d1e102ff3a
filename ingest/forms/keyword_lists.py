"""The forms of keyword lists: one list to edit, and a text or file with several to import."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from ingest.actions.keyword_lists import LONGEST_NAME, LONGEST_NOTE, ListContent
from ingest.forges.naming import read_names
from ingest.forms.named import causes
from ingest.keywords import (
    LONGEST_TERM,
    MASKS,
    MOST_TERMS,
    ZONES,
    ListProblem,
    ListRead,
    ListWarning,
    NamedList,
    Switches,
    read_list,
    write_list,
)
from ingest.models import KeywordListVersion, Repository
from ingest.queries.keyword_lists import terms_of
from ingest.repository_keys import repository_key

MOST_BYTES = 1 << 20

Words = Mapping[str, str | Promise]
SWITCH_NAMES: Words = {
    "folds": gettext_lazy("Ignore case and width"),
    "joins": gettext_lazy("Treat space, hyphen and underscore as equal"),
    "plurals": gettext_lazy("Also find plurals"),
    "version_tails": gettext_lazy("Also find versions after names of models"),
    "unspaced": gettext_lazy("Also find terms inside Chinese and Japanese text"),
}
SWITCH_HINTS: Words = {
    "folds": gettext_lazy(
        "“LLaMA” and “llama” find the same issues. A term that begins with = keeps its case."
    ),
    "joins": gettext_lazy("“tensor parallel” also finds “tensor-parallel” and “tensor_parallel”."),
    "plurals": gettext_lazy("“checkpoint” also finds “checkpoints”."),
    "version_tails": gettext_lazy("The model “llama” also finds “llama2” and “Llama-3.1-8B”."),
    "unspaced": gettext_lazy("“llama” is found between Chinese letters too, where no space separates words."),
}
ZONE_NAMES: Words = {
    "title": gettext_lazy("Title"),
    "prose": pgettext_lazy("part of an issue", "Text"),
    "code": pgettext_lazy("text of a program", "Code"),
}
MASK_NAMES: Words = {
    "user_names": gettext_lazy("names of users"),
    "urls": gettext_lazy("addresses"),
    "paths": gettext_lazy("paths of files"),
    "hashes": gettext_lazy("hashes of commits"),
    "template_headings": gettext_lazy("headings and comments of issue templates"),
}
KIND_NAMES: Words = {
    "word": gettext_lazy("word"),
    "model": gettext_lazy("name of a model"),
    "module": gettext_lazy("name of a module"),
}
PROBLEMS: Words = {
    "long": gettext_lazy("Line %(line)d is longer than %(longest)d characters: %(word)s"),
    "star": gettext_lazy("Line %(line)d has a * that is not at the end: %(word)s"),
    "empty": gettext_lazy("Line %(line)d has no letter and no digit: %(word)s"),
    "many": gettext_lazy("The list %(list)s has %(word)s terms; a list has at most %(most)d."),
    "not_text": gettext_lazy("Line %(line)d has a value that is not text: %(word)s"),
    "unfinished": gettext_lazy("Line %(line)d starts a text or a list that does not end: %(word)s"),
    "unexpected": gettext_lazy("Line %(line)d cannot be read: %(word)s"),
}
WARNINGS: Words = {
    "duplicate": gettext_lazy("%(first)s is listed twice"),
    "case_pair": gettext_lazy("%(first)s and %(second)s differ only in case"),
    "same": gettext_lazy("%(first)s and %(second)s differ only in a space, a hyphen or an underscore"),
    "inside": gettext_lazy("%(second)s already finds what %(first)s finds"),
    "short": gettext_lazy("%(first)s is short and can find other things"),
    "missing_comma": gettext_lazy("A comma may be missing in %(first)s"),
}


def problem_text(problem: ListProblem) -> str:
    return PROBLEMS[problem.cause] % {
        "line": problem.line,
        "word": problem.word,
        "list": problem.list_name,
        "longest": LONGEST_TERM,
        "most": MOST_TERMS,
    }


def warning_texts(warnings: Iterable[ListWarning]) -> list[str]:
    """Each warning in words, once."""
    said = (WARNINGS[one.cause] % {"first": one.words[0], "second": one.words[-1]} for one in warnings)
    return list(dict.fromkeys(map(str, said)))


class RepositoriesMixin(forms.Form):
    """The repositories that a list is for: some of the study's, and names of others."""

    def add_repositories(self, repositories: Sequence[Repository], chosen: Iterable[str] = ()) -> None:
        keys = {one.key: one.path for one in repositories}
        chosen = list(chosen)
        self.fields["repositories"] = forms.MultipleChoiceField(
            label=_("Repositories"),
            required=False,
            choices=list(keys.items()),
            initial=[key for key in chosen if key in keys],
            widget=forms.CheckboxSelectMultiple,
            help_text=_("Choose none to search the issues of all repositories."),
        )
        self.fields["others"] = forms.CharField(
            label=_("Other repositories"),
            required=False,
            initial="\n".join(key for key in chosen if key not in keys),
            widget=forms.Textarea(attrs={"rows": 2, "class": "mono sm", "spellcheck": "false"}),
            help_text=_("Repositories without issues in the study yet, one per line, such as owner/name."),
        )

    def clean_others(self) -> list[str]:
        named, bad = read_names(self.cleaned_data["others"])
        # A forge that is not harvested can be the source of a file: its repositories are named as well.
        elsewhere = [one for one in bad if one.cause == "forge" and repository_key(one.text)]
        if len(elsewhere) < len(bad):
            raise forms.ValidationError(causes([one for one in bad if one not in elsewhere]))
        return [one.identity for one in named] + [repository_key(one.text) for one in elsewhere]

    @property
    def chosen(self) -> tuple[str, ...]:
        return (*self.cleaned_data["repositories"], *self.cleaned_data["others"])


class KeywordListForm(RepositoriesMixin):
    """One list: its terms, repositories and switches. `version` is the one that is edited."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=LONGEST_NAME)
    terms = forms.CharField(
        label=gettext_lazy("Terms, one per line"),
        strip=False,
        widget=forms.Textarea(attrs={"rows": 14, "class": "mono sm", "spellcheck": "false", "dir": "auto"}),
        help_text=gettext_lazy(
            "“token*” finds all words that begin with “token”; “=OPT” keeps its case. After a "
            "line “# models” or “# modules”, all terms are names of models or modules."
        ),
    )
    note = forms.CharField(
        label=gettext_lazy("Changes and reasons"),
        required=False,
        max_length=LONGEST_NOTE,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    made_from = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput)

    def __init__(
        self,
        *args: Any,
        repositories: Sequence[Repository],
        version: KeywordListVersion | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        switches = Switches.from_json(version.switches) if version else Switches()
        self.add_repositories(repositories, version.repositories if version else ())
        for name, label in SWITCH_NAMES.items():
            self._box(name, label, SWITCH_HINTS[name], on=getattr(switches, name))
        for zone in ZONES:
            self._box(f"zone_{zone}", ZONE_NAMES[zone], on=zone in switches.zones)
        for mask in MASKS:
            self._box(f"mask_{mask}", MASK_NAMES[mask], on=mask in switches.masks)
        if version:
            del self.fields["name"]
            self.fields["terms"].initial = write_list(terms_of(version))
            self.fields["made_from"].initial = version.number
        else:
            del self.fields["note"]

    def _box(self, name: str, label: str | Promise, hint: str | Promise = "", *, on: bool) -> None:
        self.fields[name] = forms.BooleanField(
            label=str(label), required=False, initial=on, help_text=str(hint)
        )

    @property
    def matching(self) -> list[forms.BoundField]:
        return [self[name] for name in SWITCH_NAMES]

    @property
    def zones(self) -> list[forms.BoundField]:
        return [self[f"zone_{zone}"] for zone in ZONES]

    @property
    def masks(self) -> list[forms.BoundField]:
        return [self[f"mask_{mask}"] for mask in MASKS]

    def clean_terms(self) -> NamedList:
        read = read_list(self.cleaned_data["terms"])
        if read.problems:
            raise forms.ValidationError([problem_text(problem) for problem in read.problems])
        if len(read.lists) != 1:
            raise forms.ValidationError(
                _("This text has %(n)d lists. Import them instead.") % {"n": len(read.lists)}
            )
        if not read.lists[0].terms:
            raise forms.ValidationError(_("Type at least one term."))
        return read.lists[0]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not any(cleaned.get(f"zone_{zone}") for zone in ZONES):
            self.add_error("zone_title", _("Choose at least one place to search."))
        return cleaned

    def content(self) -> ListContent:
        given = self.cleaned_data
        return ListContent(
            terms=given["terms"].terms,
            repositories=self.chosen,
            switches=Switches(
                **{name: given[name] for name in SWITCH_NAMES},
                zones=tuple(zone for zone in ZONES if given[f"zone_{zone}"]),
                masks=tuple(mask for mask in MASKS if given[f"mask_{mask}"]),
            ),
            note=given.get("note", ""),
        )


class ListTextForm(forms.Form):
    """A text or a file with keyword lists, to look at."""

    text = forms.CharField(
        label=gettext_lazy("Paste a list"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 12, "class": "mono sm", "spellcheck": "false", "dir": "auto"}),
        help_text=gettext_lazy(
            "One term per line, or several lists such as: pytorch_keywords = ['llm', 'llama']"
        ),
    )
    upload = forms.FileField(label=gettext_lazy("Or choose a file"), required=False, allow_empty_file=True)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        upload = cleaned.get("upload")
        if upload is not None:
            cleaned["text"] = self._read(upload)
            cleaned["file_name"] = str(upload.name).rpartition(".")[0] or str(upload.name)
        if not self.errors and not (cleaned.get("text") or "").strip():
            raise forms.ValidationError(_("Paste a list, or choose a file."))
        if not self.errors and len(cleaned["text"].encode()) > MOST_BYTES:
            raise forms.ValidationError(_("This text is larger than 1 MB. Nothing was stored."))
        return cleaned

    def _read(self, upload: Any) -> str:
        if upload.size > MOST_BYTES:
            self.add_error("upload", _("This file is larger than 1 MB. Nothing was stored."))
            return ""
        try:
            return str(upload.read().decode("utf-8-sig")).replace("\r\n", "\n")
        except UnicodeDecodeError:
            self.add_error(
                "upload",
                _(
                    "This file is not UTF-8 text. Nothing was stored. Save the file as UTF-8, then "
                    "choose the file again."
                ),
            )
            return ""


class ReadListForm(RepositoriesMixin):
    """One list that was read from a text: whether to take it, its name and its repositories."""

    take = forms.BooleanField(label=gettext_lazy("Import this list"), required=False, initial=True)
    name = forms.CharField(label=gettext_lazy("Name"), max_length=LONGEST_NAME)

    def __init__(
        self,
        *args: Any,
        found: NamedList,
        warnings: Sequence[str],
        repositories: Sequence[Repository],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.found, self.warnings = found, warnings
        self.add_repositories(repositories, _guessed(found.name, repositories))

    def content(self) -> ListContent:
        return ListContent(terms=self.found.terms, repositories=self.chosen)


def _guessed(name: str, repositories: Sequence[Repository]) -> list[str]:
    """The repositories that a list is named after: pytorch_keywords is for pytorch/pytorch."""
    words = {word for word in name.lower().replace("-", "_").split("_") if word not in {"keywords", "list"}}
    return [one.key for one in repositories if one.path.lower().rpartition("/")[2] in words]


def list_forms(
    read: ListRead, repositories: Sequence[Repository], data: Any = None, name: str = ""
) -> list[ReadListForm]:
    """A form for each list of a text that has terms; `name` is for a list without one."""
    return [
        ReadListForm(
            data,
            prefix=f"list{place}",
            found=found,
            warnings=warning_texts(one for one in read.warnings if one.list_name == found.name),
            repositories=repositories,
            initial={"name": found.name.replace("_", " ") or name},
        )
        for place, found in enumerate(read.lists)
        if found.terms
    ]
