"""The agreement page: who reads it, that it says what the report says, and nothing before reveal."""

import csv
import io
import re

import pytest
from django.urls import reverse

from agreement import CategoryKappa, Coefficient, Reason, benchmark, bootstrap, issues_for
from ingest.models import Issue
from reports.agreement_report import LEVELS, PAGE_BY, agreement_report
from reports.queries import independence
from reports.sections.pairwise import decision_table
from reports.sections.splits import splits
from reports.sections.volunteers import volunteers
from reports.sentences.paragraph import how_to_report
from rounds.models import Round, RoundIssue
from rounds.queries.blindness import Reader
from tests import factories
from tests.kept import kept
from tests.long import only_long
from tests.worlds.pages import client, label_all, queries_of, text_of
from tests.worlds.world import one_after_the_other, small_world

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=6, members=3)]

ROWS = ("C.1 C.1 C.1", "C.1 C.2 C.1", "A.1 A.1 A.1", "C.2 A.1 C.1", "B.1 B.1 C.1")


@kept
def labelled(world) -> Round:
    """Five complete issues; the sixth has two of three labels, with a summary nobody may read."""
    round_ = world.round(name="Main round")
    label_all(world, round_, *ROWS, "C.9 C.9 -")
    return round_


def get(member, round_, query="", **asked):
    return client(member).get(f"{reverse('agreement', args=[round_.pk])}?{query}", **asked)


# --- what it says


def three(value: float) -> str:
    return f"{value:.3f}".replace("-", "−")


def span(found: Coefficient | CategoryKappa) -> str:
    return f"{three(found.low)} to {three(found.high)}"


def test_the_page_shows_the_reports_numbers(world, labelled):
    found = agreement_report(labelled, by=[["type"], ["repository"]])
    kappa = found.overall.coefficients["fleiss_kappa"]

    response = get(world.lead, labelled)
    said = text_of(response)

    assert said.startswith(
        "Agreement Independent labels, before any meeting. 5 issues, 3 volunteers, 15 labels."
    )
    assert f"Fleiss’ kappa, theme level {three(kappa.value)} Kappa is" in said
    for name, words in (
        ("percent_agreement", "Percent agreement not corrected for chance"),
        ("krippendorff_alpha", "Krippendorff’s alpha corrected for small samples"),
        ("gwet_ac1", "Gwet’s AC1 stable when one category dominates"),
        ("brennan_prediger", "Brennan–Prediger chance equal for every category"),
    ):
        one = found.overall.coefficients[name]
        assert f"{words} {three(one.value)} none" in said
    light = found.overall.coefficients["light_kappa"].value
    assert f"Light’s kappa mean over pairs of volunteers {three(light)} none" in said
    for category in found.overall.categories:
        if category.labels:
            assert (
                f"{category.code} Name of {category.code} {category.labels} {category.issues} *"
                f" {three(category.kappa)} none" in said
            )
    bug = next(group.agreement for group in found.by("repository"))
    assert (
        f"{world.repository.path} 5 100.0 % {three(bug.coefficients['percent_agreement'].value)}"
        f" {three(bug.coefficients['gwet_ac1'].value)} {three(bug.coefficients['fleiss_kappa'].value)}"
        in said
    )
    # Five issues have no interval, and their word has no probability.
    assert "The true kappa is" not in said
    first = volunteers(found)[0]
    assert f"R1 {first.labels} {three(first.agreement.value)}" in said
    assert "By month" not in said
    assert "Labels over time" not in said
    body = response.content.decode()
    cells = re.findall(r'title="R1 and R2: ([0-9.]+), different labels on \d of 5 issues"', body)
    assert cells == [three(found.overall.pairs[0].kappa)] * 2
    disagreements = reverse("disagreements", args=[labelled.pk])
    for pair in ("C.1+C.2", "B.1+C.1"):
        assert f'href="{disagreements}?pair={pair}"' in body
    assert "Left out 1 issue that lacks labels 2 labels of such issues 0 surplus labels" in said
    assert "0 labels of models (compared with volunteers, never counted)" in said
    # Under the types, and in the paragraph.
    note = "3 of 5 complete issues have no decision yet and count in no type"
    assert said.count(note) == 2
    assert said.index("By type of the decision") < said.index(note) < said.index("By repository")


@pytest.mark.world(issues=13, members=3)
def test_intervals_of_few_issues_carry_a_star_that_says_why(world):
    round_ = world.round()
    label_all(world, round_, *ROWS, *ROWS, *["C.1 C.1 C.1"] * 3)
    found = agreement_report(round_).overall
    kappa, rare = found.coefficients["fleiss_kappa"], next(c for c in found.categories if c.code == "C.1")
    assert (kappa.doubt, rare.doubt, rare.issues) == (Reason.FEW_COMPARED, Reason.RARE_CATEGORY, 11)

    response = get(world.lead, round_)
    said = text_of(response)
    assert f"theme level {three(kappa.value)} 95 % interval {span(kappa)} *" in said
    assert "Uncertain interval: fewer than 80 issues: the interval can be too narrow." in said
    assert f"chance from shares of all labels {three(kappa.value)} {span(kappa)} *" in said
    assert f"C.1 Name of C.1 {rare.labels} 11 * {three(rare.kappa)} {span(rare)} *" in said
    assert "C.2 Name of C.2 4 4 *" in said
    assert "fewer than 10 issues have this category, or another one. These values are uncertain." in said
    assert response.content.decode().count(Reason.FEW_OF_CATEGORY.text) == 3
    assert "fewer than 80 issues: the interval can be too narrow" in how_to_report(agreement_report(round_))
    lines = get(world.lead, round_, "format=csv&table=categories").content.decode().splitlines()
    [line] = [line for line in lines if line.startswith("C.1,")]
    assert line.endswith(f',"{Reason.RARE_CATEGORY.text}"')


def test_pairs_stand_in_the_order_of_who_agrees(world):
    """R1 and R3 always agree, R2 with nobody always: R2 stands at an end, wherever their column is."""
    round_ = world.round()
    label_all(world, round_, "C.1 C.1 C.1", "C.1 C.2 C.1", "A.1 A.1 A.1", "C.2 A.1 C.2")
    response = get(world.lead, round_)
    table = response.content.decode().partition('class="heat pw"')[2].partition("</table>")[0]
    names = re.findall(r'<th scope="(?:col|row)">(R\d)</th>', table)
    assert names[:3] == names[3:]
    assert names[2] == "R2"
    assert "Volunteers who agree are next to each other. Files have the order of the round." in text_of(
        response
    )
    lines = get(world.lead, round_, "format=csv&table=pairs").content.decode().splitlines()
    assert [line[:5] for line in lines[1:]] == ["R1,R2", "R1,R3", "R2,R3"]


def test_undefined_values_say_why_and_are_never_a_number(world):
    round_ = world.round()
    label_all(world, round_, "C.1 C.1 C.1", "C.1 C.1 C.1")

    response = get(world.lead, round_)
    said = text_of(response)

    assert "theme level undefined: all labels are the same category percent agreement 1.000" in said
    assert "Fleiss’ κ is undefined: all labels are the same category; percent agreement was 1.000." in said
    assert "C.1 Name of C.1 6 2 undefined: all labels are the same category" in said
    assert "C.9, C.10: undefined: nobody chose this category." in said
    assert "People agree, but kappa is low" in said
    assert "R1 and R2: undefined: both chose the same single category" in response.content.decode()
    # What does not vary has no interval, and a value.
    plain = said.replace("Light’s", "").lower().replace("95 % none", "").replace("1.000 none", "")
    assert not re.search(r"\b(nan|none|null)\b", plain)


def test_the_picture_of_a_kappa_without_an_interval_says_why(world):
    round_ = world.round()
    label_all(world, round_, "C.1 C.1 C.1", "C.2 C.2 C.2")
    body = get(world.lead, round_).content.decode()
    assert re.search(r'aria-label="[^"]* 1\.000, no interval: [^"]+, called almost perfect"', body)


@pytest.mark.world(issues=12, members=3)
def test_the_agreement_of_a_volunteer_without_an_interval_says_why(world):
    """On the page and in the file; once ten issues vary, both have the interval and no reason."""
    round_ = world.round()
    why = "all issues agree equally, so these labels do not show how exact the value is"

    def shown() -> tuple[str, list[tuple[str, str]]]:
        page = text_of(get(world.lead, round_)).split("By volunteer", 1)[1]
        rows = csv.DictReader(get(world.lead, round_, "format=csv&table=volunteers").text.splitlines())
        return page, [(row["low"], row["reason"]) for row in rows]

    label_all(world, round_, *["C.1 C.1 C.1", "C.2 C.2 C.2"] * 5)
    page, rows = shown()
    assert f"1.000 no interval: {why}" in page
    assert {low for low, _reason in rows} == {""}
    assert all(why in reason for _low, reason in rows)
    for member, code in zip(world.members, ("C.1", "C.2", "C.1"), strict=True):
        world.submit(round_, world.issues[10], member, code)
    page, rows = shown()
    assert why not in page
    assert all(low and why not in reason for low, reason in rows)


def test_issues_that_are_not_compared_are_said_beside_the_headline(world):
    world.version = factories.make_version(world.study, ["C", "C.1", "C.1.i", "C.1.ii"])
    round_ = world.round()
    label_all(world, round_, "C.1.i C.1.i C.1", "C.1 C.1.ii C.1.i", "C.1.i C.1 C.1")

    sub_themes = text_of(get(world.lead, round_, "level=sub-theme"))

    assert sub_themes.count("Only 2 of the 3 issues have two labels or more at this level") == 2
    assert "Only 2" not in text_of(get(world.lead, round_))


@pytest.mark.parametrize("level", ["type", "theme"])
def test_each_level_has_an_address(world, labelled, level):
    body = get(world.lead, labelled, f"level={level}").content.decode()

    (current,) = re.findall(r'<a href="\?level=([a-z-]+)" aria-current="true">', re.sub(r"\s+", " ", body))
    assert current == level
    kappa = agreement_report(labelled, level=LEVELS[level]).overall.coefficients["fleiss_kappa"]
    assert f'<p class="value">{three(kappa.value)}</p>' in body


def test_a_level_that_the_taxonomy_lacks_is_closed_with_the_reason(world):
    version = factories.make_version(world.study, ["A", "B"])
    round_ = world.round(version=version, depth=1)

    response = get(world.lead, round_)

    assert "Theme : The taxonomy has no categories at this level." in text_of(response)
    assert get(world.lead, round_, "level=theme").status_code == 422
    assert get(world.lead, round_, "level=galaxy").status_code == 404


def test_a_level_below_all_labels_is_empty_and_says_so(world, labelled):
    said = text_of(get(world.lead, labelled, "level=sub-theme"))

    assert "No label of this round has a category at this level." in said


@pytest.mark.world(issues=11, members=3)
def test_intervals_are_resampled_where_the_address_asks(world):
    labelled = world.round()
    label_all(world, labelled, *ROWS, *ROWS)
    seed = 2**64 - 5
    Round.objects.filter(pk=labelled.pk).update(seed=-5)
    drawn = bootstrap(agreement_report(labelled).numbers.patterns, seed=seed)

    plain = text_of(get(world.lead, labelled))
    said = text_of(get(world.lead, labelled, "bootstrap=yes"))

    assert "bootstrap 0" not in plain
    assert f"1,000 replicates, percentiles, seed {seed}." in said
    for name in ("fleiss_kappa", "light_kappa"):
        interval = drawn.intervals[name]
        assert f"bootstrap {three(interval.low)} to {three(interval.high)}" in said


# --- files


def test_tables_come_as_csv_at_full_precision(world, labelled):
    response = get(world.lead, labelled, "format=csv&table=coefficients")

    kappa = agreement_report(labelled).overall.coefficients["fleiss_kappa"]
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert rows[1] == {
        "coefficient": "fleiss_kappa", "value": str(kappa.value), "se": str(kappa.se), "low": "", "high": "",
        "reason": "fewer than 10 issues have two labels or more, too few for an interval",
    }  # fmt: skip
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response["Content-Disposition"] == (
        f'attachment; filename="{world.study.slug}-main-round-theme-coefficients.csv"'
    )
    assert (response["Cache-Control"], response["X-Content-Type-Options"]) == ("no-store", "nosniff")


@pytest.mark.world(issues=12)
def test_a_word_has_the_probability_of_tests_agreement_test_benchmark(world):
    round_ = world.round(name="Main round")
    label_all(world, round_, *["C.1 C.1 C.1", "A.1 A.1 A.1", "C.1 C.2 C.1", "C.2 C.2 C.2"] * 3)
    word = benchmark(agreement_report(round_).overall.coefficients["fleiss_kappa"]).word
    said = text_of(get(world.lead, round_))
    assert f"The true kappa is “{word}” or better with a probability of" in said


@pytest.mark.world(issues=12)
def test_the_lowest_word_has_no_probability(world):
    round_ = world.round(name="Main round")
    label_all(world, round_, *["C.1 C.2 A.1", "C.1 C.2 A.1", "C.2 C.1 C.1"] * 4)
    said = text_of(get(world.lead, round_))
    assert "“Poor” after Landis and Koch" in said
    assert "The true kappa is" not in said


def test_tables_come_as_latex(world, labelled):
    response = get(world.lead, labelled, "format=tex&table=types&level=type")

    text = response.content.decode()
    assert text.splitlines()[0].startswith(
        f"% types: {world.study.name}, Main round, type level, taxonomy v1, as of "
    )
    assert r"Type & Issues & Labels & Agreement & Fleiss’ kappa & Standard error" in text
    assert r"\label{tab:types}" in text
    assert response["Content-Disposition"].endswith('-main-round-type-types.tex"')


def test_every_table_of_the_page_comes_as_csv_latex_and_markdown(world, labelled):
    links = re.findall(
        r'href="\?format=(\w+)&amp;table=([\w-]+)"', get(world.lead, labelled).content.decode()
    )

    found = {table: [form for form, other in links if other == table] for _form, table in links}
    assert set(found) >= {"report", "coefficients", "types", "categories", "repositories", "left-out"}
    assert found.pop("paragraph") == ["tex", "md"]
    assert all(forms == ["csv", "tex", "md"] for forms in found.values())
    for form, table in links:
        assert get(world.lead, labelled, f"format={form}&table={table}").status_code == 200
    response = get(world.lead, labelled, "format=md&table=splits")
    assert response.content.decode().splitlines() == [
        "| split | issues | share |", "|---|---|---|",
        "| 3 | 2 | 0.400 |", "| 2:1 | 2 | 0.400 |", "| 1:1:1 | 1 | 0.200 |",
    ]  # fmt: skip
    assert response["Content-Type"] == "text/markdown; charset=utf-8"
    assert response["Content-Disposition"].endswith('-main-round-theme-splits.md"')


@pytest.mark.parametrize("query", ["format=exe", "format=csv&table=labels", "format=csv&level=x"])
def test_files_that_do_not_exist_are_not_found(world, labelled, query):
    assert get(world.lead, labelled, query).status_code == 404


# --- cost


def test_queries_do_not_grow(world):
    world.round(name="Another")
    counts = []
    for issues in (1, 3):
        round_ = world.round(name=f"Of {issues}")
        label_all(world, round_, *ROWS[:issues])
        counts.append(queries_of(client(world.lead), reverse("agreement", args=[round_.pk])))
    assert counts[0] == counts[1] <= 35  # three count how disagreements were settled, one the protocol


# --- what the reader still has to label elsewhere


@only_long
def test_what_is_withheld_is_in_no_number_and_said(world, labelled):
    first, second = world.members[:2]
    again = world.waits_for(first, world.issues[1])

    held, whole = (text_of(get(member, labelled)) for member in (first, second))

    assert "4 issues, 3 volunteers, 12 labels." in held
    assert "1 issue is hidden until you label it in another round." in held
    assert "1 issue that the author of this report still has to label in another round" in held
    assert "[Not for publication: 1 of 5 issues is missing, because its reader still has to label it" in held
    assert "Not for publication" not in whole
    warning = "Do not publish these numbers: 1 of 5 issues is hidden from you."
    assert warning in held
    paragraph = held[held.index("3 volunteers labelled") :]
    assert held.index(warning) < held.index("3 volunteers labelled")
    assert "still has to label" not in paragraph[: paragraph.index("Left out")]
    assert "5 issues, 3 volunteers, 15 labels." in whole
    assert "not the study’s numbers" not in whole
    assert "still has to label" not in whole
    assert "held back" not in whole
    rows = {
        member: next(csv.DictReader(io.StringIO(get(member, labelled, "format=csv").content.decode())))
        for member in (first, second)
    }
    assert [(rows[member]["issues"], float(rows[member]["value"])) for member in (first, second)] == [
        ("4", pytest.approx((1 + 1 + 0 + 1 / 3) / 4)),
        ("5", pytest.approx((1 + 1 / 3 + 1 + 0 + 1 / 3) / 5)),
    ]
    sizes = [get(member, labelled, "format=csv")["Crosscheck-Withheld"] for member in (first, second)]
    assert sizes == ["1", "0"]

    world.submit(again, world.issues[1], first, "C.2")
    assert "5 issues, 3 volunteers, 15 labels." in text_of(get(first, labelled))


def test_everything_withheld_is_said_instead_of_numbers(world, labelled):
    world.waits_for(world.members[0], *world.issues[:5])
    said = text_of(get(world.members[0], labelled))
    assert "5 issues are hidden until you label them" in said
    assert "None of the 1 issues has all of its 3 labels yet" in said


@pytest.mark.world(issues=11, members=3)
def test_the_paragraph_is_a_file_too(world):
    labelled = world.round(name="Main round")
    label_all(world, labelled, *ROWS, *ROWS)
    told = how_to_report(agreement_report(labelled, by=PAGE_BY, reader=Reader(None)))
    markdown, latex = (get(world.lead, labelled, f"format={form}&table=paragraph") for form in ("md", "tex"))
    assert markdown.content.decode() == re.sub(r"([\[\]*])", r"\\\1", told) + "\n"
    assert "κ" in told
    said = latex.content.decode()
    assert (r"Fleiss’ $\kappa$ = " in said, r"95 \% CI {[}" in said, "κ" in said) == (True, True, False)
    assert latex.headers["Content-Disposition"].endswith('-theme-paragraph.tex"')
    assert get(world.lead, labelled, "format=csv&table=paragraph").status_code == 404
    empty = world.round(name="Nothing yet")
    assert get(world.lead, empty, "format=md&table=paragraph").status_code == 404


@only_long
def test_holding_back_costs_one_query_more_whatever_is_held(world, labelled):
    """Four queries are of the bar of the round: the rounds, what is complete, the seat, open disagreements. Three ask
    for signs of dependence, and who led the study.
    """
    counts = []
    for issues in (1, 3):
        world.waits_for(world.members[issues - 1], *world.issues[:issues])
        counts.append(queries_of(client(world.members[issues - 1]), reverse("agreement", args=[labelled.pk])))
    assert counts[0] == counts[1] <= 40


def test_months_stand_apart_where_there_are_several(world, labelled):
    RoundIssue.objects.filter(round=labelled, issue=world.issues[0]).update(
        completed_at="2026-03-01T00:00:00Z"
    )
    said = text_of(get(world.lead, labelled))
    assert "By month month of the last label of each issue" in said
    assert "2026-03 1 20.0 %" in said
    assert "Labels over time shares of all labels" in said
    assert "Month Labels A.1 B.1 C.1 C.2 2026-03 3 0.0 % 0.0 % 100.0 % 0.0 % " in said
    assert "Change of decisions over the months: undefined" not in said


def test_one_volunteer_has_nothing_that_splits():
    world = small_world(issues=2, members=1)
    round_ = world.round()
    label_all(world, round_, "C.1", "A.1")

    page = get(world.lead, round_)

    assert "No issue has two labels or more, so labels cannot differ." in text_of(page)
    assert 'aria-labelledby="splits-h"' not in page.content.decode()


def test_splits_and_overruled_labels_are_listed(world, labelled):
    found = agreement_report(labelled)
    said = text_of(get(world.lead, labelled))
    split = splits(found)[0]
    words = "unanimous " if len(split.sizes) == 1 else ""
    assert f"{' : '.join(map(str, split.sizes))} {words}{split.issues} {100 * split.share:.1f} %" in said
    assert "No label differs from the decision at this level." in said
    assert decision_table(found).sum() == decision_table(found).trace()
    world.settle(labelled, world.issues[1], "C.2")
    assert "Label → decision Labels C.1 → C.2 Name of C.1 · Name of C.2 2" in text_of(
        get(world.lead, labelled)
    )


def test_the_search_for_signs_stands_on_the_page_unless_it_takes_long(world, labelled, monkeypatch):
    found_nothing = "A search for signs that labels, or decisions, do not look independent found nothing."
    said = text_of(get(world.lead, labelled))
    assert "No sign was found that labels, or decisions, do not look independent." in said
    assert "A sign is a reason to look closer, not a proof" in said
    assert found_nothing in said

    monkeypatch.setattr(independence, "QUICK", 4)
    independence._kept.clear()
    response = get(world.lead, labelled)
    assert "is being computed. Show the result" in text_of(response)
    assert "[The search for signs of dependence is still being computed.]" in text_of(response)
    assert 'hx-get="?independence=yes" hx-trigger="load"' in response.content.decode()

    by_htmx = {"HX-Request": "true", "HX-Target": "independence"}
    fragment = get(world.lead, labelled, "independence=yes", headers=by_htmx)
    body = fragment.content.decode()
    assert body.strip().startswith("<section")
    assert "No sign was found" in body
    assert 'id="paragraph" hx-swap-oob="true"' in body
    assert found_nothing in body
    # Found once, it stands on the page.
    assert found_nothing in text_of(get(world.lead, labelled))


@only_long
def test_a_sign_is_a_sentence_with_its_probability_and_where_it_begins():
    world, round_ = one_after_the_other()
    said = text_of(get(world.lead, round_, "independence=yes"))
    assert "3 signs that labels, or decisions, do not look independent owner/repository" in said
    assert (
        "R3 never differs on the 10 issues where all others agree. Each other volunteer does so at least 20"
        " times. p < 0.001" in said
    )
    assert re.search(r"Of 40 issues that are not unanimous, 20 in a row .* p [=<] 0\.0\d+ first issue", said)


def test_what_a_narrower_interval_takes_is_worked_out_where_the_address_asks(world, labelled):
    found = agreement_report(labelled)
    kappa = found.overall.coefficients["fleiss_kappa"]
    said = text_of(get(world.lead, labelled))
    # t(4) = 2.7764: few issues give no interval, and still a forecast.
    assert f"now ± {three(2.7764451 * kappa.se)}" in said
    assert "labels per issue, ±" not in said
    # The study has a sixth issue, and no more: an infinite number would take 145.
    assert issues_for(0.1, kappa.se, 5) == 145
    said = text_of(get(world.lead, labelled, "within=0.1"))
    assert "With 3 labels per issue, ± 0.100 needs 6 issues. You need 1 more." in said
    assert "There are 6 issues to choose from, which the forecast takes into account." in said
    assert "The range of this forecast is 6 to 6 issues." in said
    assert re.search(
        r"With the issues of this round, (you need \d+ volunteers|no number of volunteers is enough)", said
    )
    wide = text_of(get(world.lead, labelled, "within=0.5"))
    assert f"needs {issues_for(0.5, kappa.se, 5, 6)} issues. This round has enough." in wide


def test_where_all_issues_are_labelled_no_more_are_asked_for(world):
    round_ = world.round(name="Main round")
    label_all(world, round_, *ROWS, "C.9 C.9 C.1")
    said = text_of(get(world.lead, round_, "within=0.001"))
    assert "All 6 issues of the study are labelled. There are no more issues to label." in said
    assert "more issues." not in said
    assert "You need" not in said


@pytest.mark.parametrize("within", ["", "0", "nan", "7", "a"])
def test_a_half_width_that_is_none_is_refused_in_its_place(world, labelled, within):
    answer = get(world.lead, labelled, f"within={within}")
    assert answer.status_code == 200
    assert 'class="errorlist"' in answer.content.decode() or 'role="alert"' in answer.content.decode()
    assert "With 3 labels per issue" not in text_of(answer)


def test_what_was_labelled_and_decided_stands_on_the_page(world, labelled):
    Issue.objects.filter(pk=world.issues[0].pk).update(year=2024)
    said = text_of(get(world.lead, labelled))
    path = world.repository.path
    assert "Repository 2024 no year A C Undecided Issues False positives" in said
    assert f"{path} 1 4 1 1 3 5 – All 1 4 1 1 3 5 – " in said
    assert "The study has no screening round, so there are no false positives to count." in said
    assert (
        "Category Issues Share Share, drawn A Name of A 1 50.0 % of 2 A.1 Name of A.1 1 50.0 % of 2 C" in said
    )
    world.round(kind=Round.Kind.SCREENING, depth=1, excludes=world.category("B"))
    said = text_of(get(world.lead, labelled))
    assert f"{path} 1 4 1 1 3 5 0 All" in said
    assert (
        "False positives are other issues, which a screening excluded; this round does not have these issues."
        in said
    )
