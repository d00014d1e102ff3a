"""What is posted to draw a sample, as numbers, with what they come to."""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from typing import Any

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext_lazy as _

from annotate.actions.samples import DRAWN_SEEDS, LONGEST_NAME, MOST_SEED
from annotate.queries.planning import EVERY_ISSUE, Source, sources
from annotate.queries.samples import Frame, frame_of, issues_of, sizes_of
from annotate.sampling import Rounding, sample_size
from core.templatetags.crosscheck import count
from ingest.models import Repository
from ingest.queries import IssueCounts
from studies.models import Study


class _Percent(forms.DecimalField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(min_value=0.1, max_value=99.9, max_digits=5, decimal_places=2, **kwargs)


@dataclass(frozen=True)
class Row:
    """One stratum of the calculator: `up` and `cochran` are the sizes by both roundings, `drawn` what comes.

    Sizes are None while the numbers that they follow from are wrong.
    """

    repository: Repository
    issues: int
    up: int | None
    cochran: int | None
    drawn: int | None
    own: BoundField


@dataclass(frozen=True)
class Totals:
    """The sums of the rows; `by` is the rounding that was chosen."""

    by: str
    issues: int
    up: int | None
    cochran: int | None
    drawn: int | None


class SampleForm(forms.Form):
    """A sample to be drawn: from what, how sure, and how many of each repository."""

    name = forms.CharField(
        label=_("Name"),
        max_length=LONGEST_NAME,
        help_text=_("As the paper would call it: pilot sample, …"),
        error_messages={"required": _("Give the sample a name.")},
    )
    source = forms.ChoiceField(label=_("Draw from"), initial=EVERY_ISSUE)
    year = forms.TypedChoiceField(label=_("Year"), coerce=int, empty_value=None, required=False)
    with_text = forms.BooleanField(label=_("Only issues whose text is here"), required=False)
    without_pull_requests = forms.BooleanField(label=_("Leave pull requests out"), required=False)
    confidence = _Percent(
        label=_("Confidence, in %"),
        initial=95,
        help_text=_("How often an interval like this holds the true share."),
    )
    margin = _Percent(
        label=_("Margin of error, in %"),
        initial=5,
        help_text=_("Half the width of that interval."),
    )
    share = _Percent(
        label=_("Share expected, in %"),
        initial=50,
        help_text=_("50 where nothing is known: it needs the most issues."),
    )
    rounding = forms.ChoiceField(
        label=_("Rounding"),
        choices=[
            ("up", _("n₀ rounded up first")),
            ("cochran", _("n₀ unrounded, as Cochran wrote it")),
        ],
        widget=forms.RadioSelect,
        initial="up",
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=MOST_SEED,
        required=False,
        help_text=_("The same seed and issues give the same sample. Empty: drawn by chance."),
    )

    def __init__(self, *args: Any, study: Study, counts: IssueCounts, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.study = study
        self.repositories = [repository for repository, _issues in counts.repositories]
        self._sources = {source.value: source for source in sources(study)}
        self._choices("source", _grouped(self._sources.values()))
        years = [(str(year), f"{year} ({count(issues)})") for year, issues in counts.years]
        self._choices("year", [("", _("any")), *years])
        self.fields["seed"].initial = secrets.randbelow(DRAWN_SEEDS)
        for repository in self.repositories:
            self.fields[f"own_{repository.pk}"] = forms.IntegerField(
                label=_("Own number for %(repository)s") % {"repository": repository.path},
                min_value=0,
                required=False,
            )

    def _choices(self, name: str, choices: list[tuple[Any, Any]]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    def _value(self, name: str) -> Any:
        """What is chosen so far, the beginning's value before anything was, None where it is wrong."""
        if not self.is_bound:
            return self.fields[name].initial
        self.is_valid()
        return self.cleaned_data.get(name)

    def frame(self) -> Frame:
        return replace(
            frame_of(self.study, self._sources[self._value("source") or EVERY_ISSUE]),
            year=self._value("year"),
            with_text=bool(self._value("with_text")),
            without_pull_requests=bool(self._value("without_pull_requests")),
        )

    def plan(self) -> tuple[list[Row], Totals]:
        """The calculator: a row for each repository that has issues to draw from, and the sums. One query."""
        sizes = sizes_of(issues_of(self.study, self.frame()))
        confidence, margin, share = (self._value(name) for name in ("confidence", "margin", "share"))

        def size(issues: int, rounding: Rounding) -> int | None:
            if None in {confidence, margin, share}:
                return None
            return sample_size(
                issues, float(confidence) / 100, float(margin) / 100, float(share) / 100, rounding
            )

        rounding = self._value("rounding")
        rows = []
        for repository in self.repositories:
            if issues := sizes.get(repository.pk, 0):
                up, cochran = size(issues, "up"), size(issues, "cochran")
                own = self._value(f"own_{repository.pk}")
                by_rule = cochran if rounding == "cochran" else up
                drawn = by_rule if own is None else own
                rows.append(Row(repository, issues, up, cochran, drawn, self[f"own_{repository.pk}"]))
        return rows, Totals(
            rounding or "up",
            sum(row.issues for row in rows),
            _sum(row.up for row in rows),
            _sum(row.cochran for row in rows),
            _sum(row.drawn for row in rows),
        )

    def drawn(self) -> dict[str, Any]:
        """The arguments of draw_sample."""
        chosen = self.cleaned_data
        return {
            "name": chosen["name"],
            "frame": self.frame(),
            "confidence": float(chosen["confidence"]) / 100,
            "margin": float(chosen["margin"]) / 100,
            "share": float(chosen["share"]) / 100,
            "rounding": chosen["rounding"],
            "own": {
                repository.pk: chosen[f"own_{repository.pk}"]
                for repository in self.repositories
                if chosen[f"own_{repository.pk}"] is not None
            },
            "seed": chosen["seed"],
        }


def _grouped(found: Iterable[Source]) -> list[tuple[Any, Any]]:
    """Sources as the choices of a select, those of one group under its heading."""
    choices: list[tuple[Any, Any]] = []
    for group, members in groupby(found, key=attrgetter("group")):
        named = [(source.value, source.name) for source in members]
        choices += [(group, named)] if group else named
    return choices


def _sum(numbers: Any) -> int | None:
    found = list(numbers)
    return None if None in found else sum(found)
