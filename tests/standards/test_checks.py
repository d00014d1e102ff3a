"""Each state from facts alone: no database. Both sides of each rule that decides."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from rounds.models import Round
from standards.checks import CHECKS
from standards.facts import (
    AgreementFacts,
    BackgroundFacts,
    CitationFacts,
    DeviationFacts,
    Estimate,
    Facts,
    FindingFacts,
    GuidelineFacts,
    InterviewFacts,
    IssueFacts,
    ModelFacts,
    ProtocolFacts,
    RaterFacts,
    RoundFacts,
    SampleFacts,
    ScreeningFacts,
    SettledFacts,
    SourceFacts,
    TaxonomyFacts,
)
from standards.outcomes import ASKED, LATER, MET, NOT_APPLICABLE, NOT_MET

MOMENT = datetime(2026, 3, 1, tzinfo=UTC)


def round_facts(pk=1, *, k=4, kind=Round.Kind.MAIN, imported=False) -> RoundFacts:
    made = Round(
        pk=pk, name="Main", kind=kind, labels_per_issue=k, opened_at=MOMENT,
        closed_at=MOMENT if imported else None,
    )  # fmt: skip
    return RoundFacts(made, issues=10, complete=8, volunteers=4)


MAIN = round_facts()
DEVIATION = DeviationFacts("Volunteers", "Main", "7", "4")
NUMBERS = AgreementFacts(
    level="theme", issues=8, raters=4, labels=32, equal_labels=True,
    coefficients={
        "fleiss_kappa": Estimate(0.7, 0.65, 0.75), "krippendorff_alpha": Estimate(0.71),
        "gwet_ac1": Estimate(0.8), "percent_agreement": Estimate(0.82),
    },
    is_paradox=False, categories=5, withheld=0, incomplete=2, coached=0, twice=0, signs=0,
)  # fmt: skip
FACTS = Facts(
    slug="s",
    name="S",
    issues=IssueFacts(
        total=10, repositories=2, with_text=10, first_year=2024, last_year=2025, paths=("a/b",)
    ),
    sources=SourceFacts(imports=1, keyword_lists=1, terms=3),
    taxonomy=TaxonomyFacts(1, "T", 2, types=3, themes=5, sub_themes=0, undefined=1, with_examples=2),
    guideline=GuidelineFacts(versions=2, readers=4),
    rounds=(MAIN, round_facts(2, kind=Round.Kind.PILOT)),
    main=MAIN,
    raters=RaterFacts(volunteers=4, trainings=1, trained=4, passed=3),
    backgrounds=BackgroundFacts(told=2, reflected=1),
    samples=(SampleFacts(1, "Pilot", 7, frame=100, drawn=10, strata=2, confidence=0.95, margin=0.05),),
    screening=ScreeningFacts(3, decided=20, excluded=5, low=0.1, high=0.4),
    settled=SettledFacts(meetings=1, unanimity=3, lead=1, argued=2),
    agreement=NUMBERS,
    findings=FindingFacts(written=2, frozen=1, with_evidence=2),
    interviews=InterviewFacts(
        participants=3, sessions=3, guides=1, consented=3, interviewers=2, described=2, settled=1
    ),
    models=(ModelFacts("M1", 10),),
    citation=CitationFacts("S", (), "CC-BY-4.0", "10.5281/zenodo.1"),
    protocol=ProtocolFacts(1, MOMENT, True, "theme", "Fleiss’ κ"),
)
IMPORTED = replace(FACTS, main=round_facts(imported=True))
ASKED_OF_PEOPLE = {
    "why_this_measure", "sources", "construct_validity", "external_validity", "ethics_of_mining",
    "sampling_described", "participants", "secondary_data", "mixed_methods", "interview_material", "models",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_a_whole_study_meets_each_item_that_rows_can_answer(name):
    found = CHECKS[name](FACTS)
    assert found.state == (ASKED if name in ASKED_OF_PEOPLE else MET)
    assert found.said != ()
    assert found.links != ()


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_an_empty_study_has_a_state_and_a_page_for_each_item(name):
    found = CHECKS[name](Facts(slug="s", name="S"))
    assert found.state in {NOT_MET, ASKED, NOT_APPLICABLE, MET}
    assert found.links != ()


BEFORE = replace(FACTS, agreement=None, settled=SettledFacts(open=0))


@pytest.mark.parametrize(
    "name",
    [
        "fitting_measure", "interpretation", "anomalies", "agreement_assessed", "no_claim_below_threshold",
        "no_cherry_picking", "assumptions", "large_enough", "disagreements_settled", "by_discussion",
    ],
)  # fmt: skip
def test_before_the_reveal_nothing_is_said_of_labels(name):
    found = CHECKS[name](BEFORE)
    assert (found.state, [one.numbers for one in found.said if one.numbers]) == (LATER, [])


@pytest.mark.parametrize(
    ("name", "change", "state"),
    [
        ("independence", {"agreement": replace(NUMBERS, signs=2)}, NOT_MET),
        ("assumptions", {"agreement": replace(NUMBERS, signs=2)}, NOT_MET),
        ("disagreements_settled", {"settled": SettledFacts(open=3)}, NOT_MET),
        ("rating_scheme", {"guideline": GuidelineFacts()}, NOT_MET),
        ("procedure", {"guideline": GuidelineFacts()}, NOT_MET),
        ("training_or_experience", {"raters": RaterFacts(4), "backgrounds": BackgroundFacts()}, NOT_MET),
        ("annotators", {"backgrounds": BackgroundFacts()}, NOT_MET),
        ("own_biases", {"backgrounds": BackgroundFacts(told=1)}, NOT_MET),
        ("by_discussion", {"settled": SettledFacts(lead=3, unanimity=2)}, NOT_MET),
        ("by_discussion", {"settled": SettledFacts(lead=2, unanimity=2)}, MET),
        ("more_than_three", {"main": round_facts(k=3)}, NOT_MET),
        ("cycles", {"rounds": (MAIN,)}, NOT_MET),
        ("quality_control", {"rounds": (MAIN,)}, NOT_MET),
        ("criteria_validated", {"screening": None}, NOT_MET),
        ("criteria_validated", {"screening": ScreeningFacts(3, 0, 0)}, LATER),
        ("acquisition", {"sources": SourceFacts()}, NOT_MET),
        ("triangulation", {"raters": RaterFacts(1)}, NOT_MET),
        ("sampling_strategy", {"samples": ()}, NOT_APPLICABLE),
        ("stratified", {"samples": (replace(FACTS.samples[0], strata=1),)}, NOT_MET),
        ("representativeness", {"samples": (replace(FACTS.samples[0], margin=None),)}, NOT_MET),
        (
            "large_enough",
            {"agreement": replace(NUMBERS, coefficients={"fleiss_kappa": Estimate(0.7, 0.5, 0.9)})},
            NOT_MET,
        ),
        ("evidence_of_conclusions", {"findings": FindingFacts(written=2, with_evidence=1)}, NOT_MET),
        ("archived", {"citation": None}, ASKED),
        ("licence", {"citation": None}, NOT_MET),
        ("licence", {"citation": CitationFacts("S", (), "CC-BY-NC-4.0", "")}, NOT_MET),
        ("protocol_frozen", {"protocol": None}, NOT_MET),
        ("protocol_frozen", {"protocol": ProtocolFacts(1, MOMENT, False)}, NOT_MET),
        (
            "deviations_justified",
            {"protocol": ProtocolFacts(1, MOMENT, True, deviations=(DEVIATION,))},
            NOT_MET,
        ),
        (
            "deviations_justified",
            {"protocol": ProtocolFacts(1, MOMENT, True, deviations=(replace(DEVIATION, reason="Ill."),))},
            MET,
        ),
        ("participants", {"interviews": InterviewFacts()}, NOT_APPLICABLE),
        ("mixed_methods", {"interviews": InterviewFacts()}, NOT_APPLICABLE),
        ("interviews_described", {"interviews": replace(FACTS.interviews, described=1)}, NOT_MET),
        ("models", {"models": (ModelFacts("M1", 0),)}, NOT_APPLICABLE),
    ],
)
def test_what_changes_a_state(name, change, state):
    assert CHECKS[name](replace(FACTS, **change)).state == state


@pytest.mark.parametrize("name", ["independence", "procedure", "disagreements_settled", "by_discussion"])
def test_imported_labels_say_what_nobody_observed(name):
    found = CHECKS[name](IMPORTED)
    assert found.state == ASKED
    assert "imported" in " ".join(map(str, found.said))
    assert "could see" not in " ".join(map(str, found.said))


def test_a_sentence_keeps_its_numbers_and_files():
    [said] = CHECKS["number_of_raters"](FACTS).said
    assert str(said) == "4 raters labelled in the round “Main”, with 4 labels for each issue."
    assert (said.numbers, said.files) == ((("raters", "4"), ("k", "4")), ("labels_long.csv",))
