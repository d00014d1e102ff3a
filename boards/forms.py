"""The form that begins a board."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from boards.actions.boards import start_board, start_board_from_mapping
from boards.mapping import MAX_BYTES, MappingRefused, SubTheme, read_mapping
from boards.models import Board
from boards.queries.labels import CardCount, card_counts
from core.templatetags.crosscheck import count
from rounds.rules import may_be_volunteer
from studies.models import Membership
from studies.queries import members
from taxonomy.models import Taxonomy
from taxonomy.queries.taxonomies import published_version

LABELS, FILE = "labels", "file"


class BoardForm(forms.Form):
    """A board with the summaries of a theme or type, or of a file; with `sorters`, these sort apart first.
    `rows`: the content of the file, None without a readable file; `refused`: its bad lines, with reasons.
    """

    rows: list[SubTheme] | None = None
    refused: tuple[tuple[int, str], ...] = ()

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=Board._meta.get_field("name").max_length,  # noqa: SLF001 - Django's own API
    )
    source = forms.ChoiceField(choices=[(LABELS, ""), (FILE, "")], initial=LABELS)
    about = forms.ChoiceField(
        label=gettext_lazy("Theme or type"),
        help_text=gettext_lazy("The board also includes all categories below."),
    )
    file = forms.FileField(label=gettext_lazy("CSV file"), allow_empty_file=True)
    with_piles = forms.BooleanField(
        label=gettext_lazy("Start with the sub-themes of the file as piles"), required=False, initial=True
    )
    sorters = forms.MultipleChoiceField(
        label=gettext_lazy("Members who sort alone first"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy(
            "Choose at least two members: each sorts all cards alone and sees no other piles."
            " Choose nobody to start with the joint session."
        ),
    )

    def __init__(self, *args: Any, taxonomy: Taxonomy, member: Membership, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.taxonomy = taxonomy
        self.use_required_attribute = False  # the source decides which of two fields is required
        self.label_suffix = ""
        version = published_version(taxonomy)
        counted = card_counts(version, member) if version else []
        self.states = {str(each.state.category_id): each.state for each in counted}
        sorters = members(taxonomy.study).filter(left_at=None)
        self.seats = {str(each.pk): each for each in sorters if may_be_volunteer(each, taxonomy.study)}
        self.fields["about"].choices = [  # type: ignore[attr-defined]
            ("", _("choose a theme or type")),
            *((str(each.state.category_id), _option(each)) for each in counted),
        ]
        self.fields["sorters"].choices = [  # type: ignore[attr-defined]
            (pk, f"{each.pseudonym} {each.user}" if each.user else each.pseudonym)
            for pk, each in self.seats.items()
        ]

    def _clean_fields(self) -> None:
        unused = self.fields["about" if self.data.get("source") == FILE else "file"]
        unused.required = False
        super()._clean_fields()  # type: ignore[misc]
        unused.required = True

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("source") == FILE:
            if cleaned.get("file"):
                self._read(cleaned["file"])
            if cleaned.get("sorters"):
                cleaned["with_piles"] = False
        return cleaned

    def _read(self, file: Any) -> None:
        try:
            self.rows = read_mapping(file.read(MAX_BYTES + 1))
        except MappingRefused as error:
            self.refused = tuple(
                (problem.line, _(problem.template) % problem.values) for problem in error.problems
            )
            self.add_error("file", _("The file has mistakes and was not read."))

    def make(self, by: Membership) -> Board:
        """Make the board. Raises BoardRefused."""
        given = self.cleaned_data
        common: dict[str, Any] = {
            "taxonomy": self.taxonomy,
            "name": given["name"],
            "by": by,
            "sorters": [self.seats[pk] for pk in given["sorters"]],
        }
        if self.rows is not None:
            return start_board_from_mapping(rows=self.rows, with_piles=given["with_piles"], **common)
        return start_board(about=self.states[given["about"]].category, **common)


def _option(counted: CardCount) -> str:
    words = ngettext("%(code)s %(name)s: %(n)s card", "%(code)s %(name)s: %(n)s cards", counted.cards)
    state = counted.state
    return words % {"code": state.code, "name": state.title, "n": count(counted.cards)}
