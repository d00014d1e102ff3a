"""The forms that plan a training from a pilot: its settings, and a row for each issue."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.actions.pilot import RightLabel
from annotate.actions.training import EXPLANATION_LENGTH
from annotate.queries.pilot import Candidate, candidates, issue_ids
from core.numbers import whole_number
from core.text.joining import listed
from rounds.models import Round
from rounds.queries.blindness import WithheldIssues
from rounds.queries.rounds import candidates as possible_volunteers
from rounds.queries.rounds import published_versions
from studies.forms import PeopleField
from studies.models import Membership, Role
from taxonomy.models import Category, CategoryState, Level, Version
from taxonomy.queries.codebooks import Codebook, codebook
from taxonomy.tree import look_alike

MOST_ROWS = 200
SUGGESTED = 120
MOST_WORDS = 50
TICKED = 3
OFFERED = 6


class TrainingForm(forms.Form):
    """The settings of the training; AnswerRows has the issues of the pilot with their right labels."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=120,
        initial=gettext_lazy("Training"),
        error_messages={"required": gettext_lazy("Give the round a name.")},
    )
    version = forms.ModelChoiceField(
        Version.objects.none(),
        label=gettext_lazy("Version of the taxonomy"),
        empty_label=None,
        help_text=gettext_lazy("Choose the version that the main round will use."),
    )
    depth = forms.TypedChoiceField(
        label=gettext_lazy("Labels are compared by"),
        choices=[(level.value, level.label) for level in Level],
        coerce=int,
    )
    pass_mark = forms.IntegerField(
        label=gettext_lazy("Pass mark, in %"),
        min_value=1,
        max_value=100,
        initial=80,
        help_text=gettext_lazy("Share of answers a volunteer must get right."),
    )
    members = PeopleField(
        Membership.objects.none(),
        label=gettext_lazy("Volunteers"),
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("You give the right labels, so you cannot label in this training."),
        error_messages={"required": gettext_lazy("Choose at least one volunteer.")},
    )
    more = forms.CharField(
        label=gettext_lazy("Add issues of the pilot"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=gettext_lazy("Enter numbers or addresses of issues, separated by spaces or line breaks."),
    )

    def __init__(
        self, *args: Any, pilot: Round, by: Membership, blind: WithheldIssues, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.pilot = pilot
        self.blind = blind
        self.fields["depth"].initial = pilot.depth
        others = possible_volunteers(pilot.study).exclude(pk=by.pk)
        self._offer("version", published_versions(pilot.study))
        self._offer("members", others)
        self.fields["members"].initial = others.filter(role=Role.VOLUNTEER)

    def _offer(self, name: str, choices: QuerySet[Any]) -> None:
        self.fields[name].queryset = choices  # type: ignore[attr-defined]  # of its class

    def clean_more(self) -> list[int]:
        """The ids of the issues named in the field."""
        words = self.cleaned_data["more"].split()
        if len(words) > MOST_WORDS:
            raise forms.ValidationError(_("Enter at most %(n)d issues at a time.") % {"n": MOST_WORDS})
        found = issue_ids(self.pilot, words, self.blind)
        unknown = [word for word, issue_id in found.items() if issue_id is None]
        if unknown:
            raise forms.ValidationError(
                _("Not found among the revealed issues of this pilot: %(words)s.")
                % {"words": listed(unknown)[:500]}
            )
        return [issue_id for issue_id in found.values() if issue_id is not None]


@dataclass
class AnswerRow:
    """One issue that may go into the training: ticked or not, with the code and the explanation as typed.
    `proposed`: the name of the missing category that its open label proposes.
    """

    candidate: Candidate
    ticked: bool
    code: str
    explanation: str
    proposed: str = ""
    errors: list[str] = field(default_factory=list)


class AnswerRows:
    """The rows of the form, from the pilot or as posted, checked against the chosen version."""

    def __init__(
        self,
        pilot: Round,
        version: Version,
        depth: int,
        proposals: Iterable[tuple[int, str]],
        blind: WithheldIssues,
    ) -> None:
        """`proposals`: (id, name) of missing categories; the version may have a category of that name."""
        self.pilot = pilot
        self.blind = blind
        self.depth = depth
        self.book = codebook(version)
        self._codes = {look_alike(state.code): state for state in self.book.states}
        self._names = {look_alike(state.name): state for state in self.book.states}
        self._proposals = dict(proposals)
        self.rows: list[AnswerRow] = []

    @cached_property
    def choosable(self) -> list[CategoryState]:
        """The categories that are deep enough to be a right label."""
        deep_enough = self.book.choosable(self.depth)
        return [state for state in self.book.states if state.category_id in deep_enough]

    def suggest(self, old: Codebook) -> None:
        """Add issues of each category, clear ones first, and tick the first clear ones with a summary."""
        found = candidates(self.pilot, old, each=OFFERED, blind=self.blind)
        places = range(OFFERED, 0, -1)
        deepest = next((n for n in places if sum(one.place <= n for one in found) <= SUGGESTED), 1)
        for candidate in [one for one in found if one.place <= deepest][:MOST_ROWS]:
            good = candidate.is_clear and candidate.place <= TICKED and bool(candidate.summary)
            self.rows.append(self._fresh(candidate, ticked=good))

    def take(self, data: Any, old: Codebook, more: Sequence[int]) -> None:
        """Take the rows as posted, and the issues of `more` as ticked rows; MOST_ROWS at most."""
        texts = data.get("rows", "").split(",")
        posted = [number for number in map(whole_number, texts) if number is not None]
        known = set(posted[:MOST_ROWS])
        wanted = list(dict.fromkeys([*posted, *more]))[:MOST_ROWS]
        for candidate in candidates(self.pilot, old, more=wanted, blind=self.blind):
            issue_id = candidate.issue.pk
            if issue_id not in known:
                self.rows.append(self._fresh(candidate, ticked=True))
                continue
            self.rows.append(
                AnswerRow(
                    candidate,
                    ticked=f"pick_{issue_id}" in data,
                    code=data.get(f"code_{issue_id}", "").strip(),
                    explanation=data.get(f"why_{issue_id}", "").replace("\x00", "\ufffd").strip(),
                    proposed=self._proposed(candidate),
                )
            )

    def answers(self) -> list[RightLabel]:
        """The right labels of the ticked rows. A row that cannot be a right label gets errors. One query."""
        found: list[tuple[AnswerRow, int]] = []
        for row in self.rows:
            if not row.ticked:
                continue
            state = self._codes.get(look_alike(row.code))
            row.errors += self._wrong(row, state)
            if state is not None and not row.errors:
                found.append((row, state.category_id))
        categories = Category.objects.in_bulk([category_id for _row, category_id in found])
        return [
            RightLabel(row.candidate.issue.pk, categories[category_id], row.explanation)
            for row, category_id in found
        ]

    def _wrong(self, row: AnswerRow, state: CategoryState | None) -> Iterator[str]:
        if not row.code:
            yield _("Choose the right category.")
        elif state is None:
            yield _("This version has no category %(code)s.") % {"code": row.code[:40]}
        elif state not in self.choosable:
            yield _("%(code)s is too broad: labels are compared at a deeper level.") % {"code": state.code}
        if not row.explanation:
            yield _("Explain why this label is right.")
        elif len(row.explanation) > EXPLANATION_LENGTH:
            yield _("The explanation is longer than %(n)d characters.") % {"n": EXPLANATION_LENGTH}

    @property
    def has_errors(self) -> bool:
        return any(row.errors for row in self.rows)

    @property
    def ticked(self) -> int:
        return sum(row.ticked for row in self.rows)

    @property
    def ids(self) -> str:
        """The value of the hidden field `rows`: the ids of the issues in the form."""
        return ",".join(str(row.candidate.issue.pk) for row in self.rows)

    def _fresh(self, candidate: Candidate, *, ticked: bool) -> AnswerRow:
        code = ""
        if candidate.right is not None:
            # The same code in another taxonomy may be another category: the lead sees it and decides.
            state = self._codes.get(look_alike(candidate.right.code))
            code = state.code if state else ""
        elif proposed := self._proposed(candidate):
            state = self._names.get(look_alike(proposed))
            code = state.code if state else ""
        return AnswerRow(candidate, ticked and bool(code), code, candidate.summary, self._proposed(candidate))

    def _proposed(self, candidate: Candidate) -> str:
        return self._proposals.get(candidate.proposal_id or 0, "")
