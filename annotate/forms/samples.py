"""The form that draws a sample, with the numbers that follow from it."""

import secrets
from dataclasses import replace
from typing import Any

from django import forms
from django.db.models import Count
from django.utils.translation import gettext_lazy as _

from annotate.actions.samples import DRAWN_SEEDS, LONGEST_NAME, MOST_SEED
from annotate.forms.left_out import boxes_to_leave_out
from annotate.queries.left_out import excludables
from annotate.queries.planning import EVERY_ISSUE, source_choices, sources, starts_without_pull_requests
from annotate.queries.samples import SampleFrame, frame_of, issues_of, left_out_counts
from annotate.sampling import Rounding, sample_size
from core.templatetags.crosscheck import count
from ingest.queries.issues import IssueCounts
from studies.models import Study

SHARES = ("confidence", "margin", "share")


class _Percent(forms.DecimalField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(min_value=0.1, max_value=99.9, max_digits=5, decimal_places=2, **kwargs)


class SampleForm(forms.Form):
    """A sample to be drawn: the source, the confidence, and the number of issues of each repository."""

    name = forms.CharField(
        label=_("Name"),
        max_length=LONGEST_NAME,
        help_text=_("Use the name from your paper: pilot sample, …"),
        error_messages={"required": _("Give the sample a name.")},
    )
    source = forms.ChoiceField(label=_("Draw from"), initial=EVERY_ISSUE)
    year = forms.TypedChoiceField(label=_("Year"), coerce=int, empty_value=None, required=False)
    with_text = forms.BooleanField(label=_("Only issues with fetched text"), required=False)
    without_pull_requests = forms.BooleanField(label=_("Leave out pull requests"), required=False)
    left_out = forms.MultipleChoiceField(
        label=_("Leave out the issues of"), widget=forms.CheckboxSelectMultiple, required=False
    )
    confidence = _Percent(
        label=_("Confidence, in %"),
        initial=95,
        help_text=_("How often such an interval contains the true share."),
    )
    margin = _Percent(
        label=_("Margin of error, in %"), initial=5, help_text=_("Half the width of the interval.")
    )
    share = _Percent(
        label=_("Share expected, in %"),
        initial=50,
        help_text=_("Enter 50 if you know nothing about the share: 50 needs the most issues."),
    )
    rounding = forms.ChoiceField(
        label=_("Rounding"),
        choices=[("up", _("n₀ rounded up first")), ("cochran", _("n₀ not rounded, as in Cochran’s formula"))],
        widget=forms.RadioSelect,
        initial="up",
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=MOST_SEED,
        required=False,
        help_text=_(
            "The same seed and issues give the same sample. If the field is empty, a random seed is used."
        ),
    )

    def __init__(self, *args: Any, study: Study, counts: IssueCounts, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.study = study
        self.repositories = [repository for repository, _issues in counts.repositories]
        self._sources = {source.value: source for source in sources(study)}
        self._choices("source", source_choices(self._sources.values()))
        # The newest screening comes first: its excluded issues are no part of the study.
        kept = (value for value in self._sources if value.startswith("kept:"))
        self.fields["source"].initial = next(kept, EVERY_ISSUE)
        # A sample of reports: a pull request is none. The summary gives their number.
        if self.initial.get("source") not in self._sources:
            self.initial.pop("source", None)
        source = str(self.get_initial_for_field(self.fields["source"], "source"))
        self.fields["without_pull_requests"].initial = starts_without_pull_requests(
            study, source, counts.kinds
        )
        self.excludables = excludables(study)
        self._choices("left_out", [(one.value, one) for one in self.excludables])
        # Issues of the round that a link asks for are wanted again.
        asked = str(self.initial.get("source"))
        self.fields["left_out"].initial = [
            one.value for one in self.excludables if one.coaches or (one.is_main and one.value != asked)
        ]
        years = [(str(year), f"{year} ({count(issues)})") for year, issues in counts.years]
        self._choices("year", [("", _("any year")), *years])
        self.fields["seed"].initial = secrets.randbelow(DRAWN_SEEDS)
        for repository in self.repositories:
            self.fields[f"own_{repository.pk}"] = forms.IntegerField(
                label=_("Own number for %(repository)s") % {"repository": repository.path},
                min_value=0,
                required=False,
            )

    def _choices(self, name: str, choices: list[tuple[Any, Any]]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]  # of its class

    def _value(self, name: str) -> Any:
        """The chosen value; the initial value in an unbound form, None if the value is invalid."""
        if not self.is_bound:
            return self.get_initial_for_field(self.fields[name], name)
        self.is_valid()
        return self.cleaned_data.get(name)

    def frame(self) -> SampleFrame:
        return replace(
            frame_of(self.study, self._sources[self._value("source") or EVERY_ISSUE]),
            year=self._value("year"),
            with_text=bool(self._value("with_text")),
            without_pull_requests=bool(self._value("without_pull_requests")),
            left_out=list(self._value("left_out") or ()),
        )

    def to_leave_out(self) -> dict[str, Any]:
        """The checkboxes of pilots and trainings, of main rounds, and of other rounds and samples, apart."""
        return boxes_to_leave_out(self["left_out"])

    def is_left_out(self) -> list[tuple[str, int]]:
        """The chosen rounds and samples by name, with how many issues of the source they have. One query."""
        names = {one.value: one.name for one in self.excludables}
        counted = left_out_counts(self.study, self.frame())
        return [(names[value], issues) for value, issues in counted.items() if issues]

    def pull_requests(self) -> tuple[int, bool]:
        """How many pull requests the source has besides what is left out, and whether the sample leaves them
        out. One query.
        """
        frame = self.frame()
        issues = issues_of(self.study, replace(frame, without_pull_requests=False))
        return issues.filter(is_pull_request=True).count(), frame.without_pull_requests

    def plan(self) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """The calculator: a row for each repository that has issues to draw from, and the sums. One query.
        `up` and `cochran` are the sizes by both roundings, `by` is the chosen rounding, and `drawn` is the
        number of issues to draw. Sizes are None while the confidence, the margin or the share is invalid.
        """
        issues = issues_of(self.study, self.frame())
        sizes = dict(issues.values_list("repository").annotate(n=Count("pk")))
        shares = {name: self._value(name) for name in SHARES}

        def size(issues: int, rounding: Rounding) -> int | None:
            if None in shares.values():
                return None
            parts = {name: float(share) / 100 for name, share in shares.items()}
            return sample_size(issues, **parts, rounding=rounding)

        by = self._value("rounding") or "up"
        rows: list[dict[str, Any]] = []
        for repository in self.repositories:
            if there := sizes.get(repository.pk, 0):
                row = {"issues": there, "up": size(there, "up"), "cochran": size(there, "cochran")}
                own = self._value(f"own_{repository.pk}")
                row["drawn"] = row[by] if own is None else own
                rows.append(row | {"repository": repository, "own": self[f"own_{repository.pk}"]})
        columns = {name: [row[name] for row in rows] for name in ("issues", "up", "cochran", "drawn")}
        sums = {name: None if None in found else sum(found) for name, found in columns.items()}
        return rows, sums | {"by": by}

    def drawn(self) -> dict[str, Any]:
        """The arguments of draw_sample."""
        chosen = self.cleaned_data
        return {
            "name": chosen["name"],
            "frame": self.frame(),
            **{name: float(chosen[name]) / 100 for name in SHARES},
            "rounding": chosen["rounding"],
            "own": {
                repository.pk: chosen[f"own_{repository.pk}"]
                for repository in self.repositories
                if chosen[f"own_{repository.pk}"] is not None
            },
            "seed": chosen["seed"],
        }
