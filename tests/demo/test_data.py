"""The demonstration study's files say what their README says, and hold nothing a reader could trip over."""

import json
import re
from collections import Counter
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from demo.data import meeting_lines, rows, text
from taxonomy.models import Level
from taxonomy.presets import load_preset

RATERS = [f"R{n}" for n in range(1, 8)]
CODES = {node.code for node in load_preset("llm-frameworks") if node.level > Level.TYPE}
THEMES = {code for code in CODES if code.count(".") == 1}
REPOSITORIES = {
    "https://github.com/emberline/ember-serve": 30,
    "https://github.com/gridloom/gridloom": 22,
    "https://github.com/quillnet/lattice": 18,
    "https://gitee.com/quillnet/quillnet-ascend": 14,
}
ISSUE_KEYS = {
    "number", "html_url", "title", "body", "user", "author_association", "labels", "state", "state_reason",
    "created_at", "closed_at", "updated_at", "comments", "pull_request",
}  # fmt: skip
COMMENT_KEYS = {"user", "author_association", "created_at", "body"}
ASSOCIATIONS = {"OWNER", "MEMBER", "COLLABORATOR", "CONTRIBUTOR", "NONE"}


def theme(code: str) -> str:
    """`C.2.ii` counts as `C.2`: the demonstration round has theme depth."""
    return ".".join(code.split(".")[:2])


def moment(text: str) -> datetime:
    assert text.endswith("Z"), text
    return datetime.fromisoformat(text)


@pytest.fixture(scope="module")
def issues() -> list[dict[str, Any]]:
    return [json.loads(line) for line in text("issues.jsonl").removesuffix("\n").split("\n")]


@pytest.fixture(scope="module")
def labels() -> list[dict[str, str]]:
    return list(rows("labels.csv"))


@pytest.fixture(scope="module")
def complete(labels: list[dict[str, str]]) -> list[list[str]]:
    """Seven themes a row, for the issues that all seven have labelled."""
    return [[theme(row[r]) for r in RATERS] for row in labels if all(row[r] for r in RATERS)]


def test_issues_have_the_keys_of_a_forge_answer(issues: list[dict[str, Any]]) -> None:
    assert len(issues) == 84
    for issue in issues:
        assert set(issue) == ISSUE_KEYS, issue["html_url"]
        assert issue["title"].strip()
        assert set(issue["user"]) == {"login"}
        assert issue["author_association"] in ASSOCIATIONS
        assert all(set(label) == {"name"} and label["name"] for label in issue["labels"])
        assert issue["body"] is None or isinstance(issue["body"], str)
        for comment in issue["comments"]:
            assert set(comment) == COMMENT_KEYS, issue["html_url"]
            assert comment["author_association"] in ASSOCIATIONS
            assert comment["user"]["login"]
            assert comment["body"].strip()


def test_urls_are_unique_and_belong_to_the_four_repositories(issues: list[dict[str, Any]]) -> None:
    urls = [issue["html_url"] for issue in issues]
    assert len(set(urls)) == 84
    assert Counter(url.rsplit("/", 2)[0] for url in urls) == REPOSITORIES
    for issue in issues:
        repository, kind, key = issue["html_url"].rsplit("/", 2)
        assert key == str(issue["number"])
        assert isinstance(issue["number"], str) == repository.startswith("https://gitee.com/")
        assert kind == ("pull" if issue["pull_request"] else "issues")
    assert sum(bool(issue["pull_request"]) for issue in issues) == 3


def test_times_are_in_order(issues: list[dict[str, Any]]) -> None:
    created = [moment(issue["created_at"]) for issue in issues]
    assert created == sorted(created)
    assert created[0].year == 2023
    assert created[-1] < datetime(2025, 5, 1, tzinfo=UTC)
    for issue in issues:
        opened, updated = moment(issue["created_at"]), moment(issue["updated_at"])
        said = [moment(comment["created_at"]) for comment in issue["comments"]]
        assert [opened, *said] == sorted([opened, *said]), issue["html_url"]
        assert updated == max([opened, *said, *([moment(issue["closed_at"])] if issue["closed_at"] else [])])
        assert (issue["state"] == "closed") == (issue["closed_at"] is not None)
        assert issue["state_reason"] in ({None, "completed", "not_planned"} if issue["closed_at"] else {None})


def test_numbers_grow_with_time_in_each_repository(issues: list[dict[str, Any]]) -> None:
    for repository in REPOSITORIES:
        keys = [i["number"] for i in issues if i["html_url"].startswith(repository + "/")]
        assert keys == sorted(keys, key=lambda key: int(str(key), 36))


def test_texts_are_as_varied_as_the_readme_says(issues: list[dict[str, Any]]) -> None:
    def holding(pattern: str) -> int:
        return sum(bool(re.search(pattern, f"{i['title']}\n{i['body'] or ''}")) for i in issues)

    assert holding(r"[\u4e00-\u9fff]") >= 10
    assert holding(r"[\u0590-\u05ff]") == 1 == holding(r"[\u0600-\u06ff]")
    assert holding(r"\r\n") == 1 == holding(r"\x1b\[")
    assert holding(r"\]\(javascript:") == 1 == holding(r"<script>")
    assert holding(r"List<String>") == 1
    assert holding(r"<module>") >= 4
    assert holding(r"- \[[ x]\] ") >= 5
    assert {len(i["comments"]) for i in issues} == set(range(10))
    assert sum(i["body"] is None for i in issues) == 1 == sum(i["body"] == "" for i in issues)
    assert holding(r"(\n {2,}\S[^\n]*){50,}") == 1
    assert holding(r'(\n +File "[^\n]*(\n {4,}[^\n]*)?){10,}') >= 3
    assert len({i["body"] for i in issues if i["body"]}) == 82


def test_files_are_small_and_clean_unicode(issues: list[dict[str, Any]]) -> None:
    assert len(text("issues.jsonl").encode()) < 600_000
    assert not re.search(r"[\x00\ud800-\udfff\ufeff]", json.dumps(issues, ensure_ascii=False))


def test_every_label_names_a_known_category(labels: list[dict[str, str]]) -> None:
    used = {row[r] for row in labels for r in RATERS} - {""}
    assert used - CODES == set()
    assert {theme(code) for code in used} == THEMES
    assert used & (CODES - THEMES)
    assert {row["lead_decision"] for row in labels} - {""} <= THEMES


def test_labels_are_of_the_issues_and_in_their_order(
    issues: list[dict[str, Any]], labels: list[dict[str, str]]
) -> None:
    assert list(labels[0]) == [
        "Issue_URL", *RATERS, *(f"summary{n}" for n in range(1, 8)), "lead_decision", "lead_rationale",
    ]  # fmt: skip
    assert [row["Issue_URL"] for row in labels] == [issue["html_url"] for issue in issues]
    for row in labels:
        for rater in RATERS:
            assert row[rater] or not row[f"summary{rater[1]}"], row["Issue_URL"]


def test_progress_differs_and_the_visitor_has_work(
    labels: list[dict[str, str]], complete: list[list[str]]
) -> None:
    assert len(complete) == 70
    assert sum(not row["R3"] for row in labels) == 14
    done = [sum(bool(row[r]) for row in labels) for r in RATERS]
    assert done[1] == 84
    assert len(set(done)) >= 5


def test_less_than_half_is_unanimous_and_the_lead_settled_a_few(
    labels: list[dict[str, str]], complete: list[list[str]]
) -> None:
    assert sum(len(set(row)) == 1 for row in complete) == 32
    decided = [row for row in labels if row["lead_decision"]]
    assert len(decided) == 4
    for row in decided:
        chosen = {theme(row[r]) for r in RATERS}
        assert "" not in chosen
        assert len(chosen) > 1
        assert row["lead_decision"] in chosen
    assert all(bool(row["lead_decision"]) == bool(row["lead_rationale"]) for row in labels)


def disputed(labels: list[dict[str, str]]) -> set[str]:
    """The issues that are complete, and whose labels are not all the same."""
    found = {row["Issue_URL"]: {theme(row[r]) for r in RATERS} for row in labels}
    return {url for url, chosen in found.items() if len(chosen) > 1 and "" not in chosen}


def test_agendas_and_arguments_are_of_disagreements(labels: list[dict[str, str]]) -> None:
    settled = {row["Issue_URL"] for row in labels if row["lead_decision"]}
    talked_over = {line["issue"] for line in meeting_lines() if line["do"] == "turn"}
    elsewhere = [row["Issue_URL"] for row in rows("agendas.csv")]
    parked = {"https://github.com/emberline/ember-serve/issues/4008"}
    assert len(disputed(labels)) == 38
    assert len({*elsewhere}) == len(elsewhere) == 9
    assert settled | talked_over | {*elsewhere} < disputed(labels)
    assert not settled & talked_over
    assert not (settled | talked_over) & {*elsewhere}
    assert len(disputed(labels) - settled - (talked_over - parked) - {*elsewhere}) == 20
    assert Counter(row["agenda"] for row in rows("agendas.csv")) == {
        "apart": 3, "pair": 2, "once more": 2, "none": 2,
    }  # fmt: skip
    by_url = {row["Issue_URL"]: row for row in labels}
    for row in rows("arguments.csv"):
        assert row["Issue_URL"] in disputed(labels)
        assert row["category"] in THEMES
        assert row["category"] in {theme(by_url[row["Issue_URL"]][r]) for r in RATERS}


def test_meeting_goes_from_issue_to_issue_and_votes_with_who_is_there(labels: list[dict[str, str]]) -> None:
    lines = meeting_lines()
    assert [line["at"] for line in lines] == sorted(line["at"] for line in lines)
    assert Counter(line["do"] for line in lines) == {
        "turn": 6, "say": 11, "join": 1, "leave": 1, "vote": 7, "decide": 6, "follow": 2, "park": 1, "reopen": 1,
        "close": 1,
    }  # fmt: skip
    assert Counter(line["how"] for line in lines if line["do"] == "decide") == {
        "unanimity": 3, "majority": 2, "chair": 1,
    }  # fmt: skip
    there, ballots = {*RATERS} - {"R5"}, {}
    for line in lines:
        if line["do"] == "join":
            there.add(line["who"])
        elif line["do"] == "leave":
            there.remove(line["who"])
        elif line["do"] == "vote":
            ballots = line["ballots"]
            assert {*ballots} == there
        elif line["do"] == "decide":
            for_it = sum(code == line["category"] for code in ballots.values())
            against = sum(code not in {"", line["category"]} for code in ballots.values())
            assert line["how"] != "unanimity" or (against == 0 and 2 * for_it > len(ballots))
            assert line["how"] != "majority" or 2 * for_it > len(ballots)
            assert line["rationale"]
            assert line["cause"] in {"slip", "guideline", "issue", "missing", "overlap"}
    assert {code for line in lines for code in line.get("ballots", {}).values()} <= THEMES | {""}


def test_kappa_is_that_of_careful_but_fallible_people(complete: list[list[str]]) -> None:
    number = {code: n for n, code in enumerate(sorted(THEMES))}
    table, _ = aggregate_raters(np.array([[number[code] for code in row] for row in complete]))
    per_issue = ((table**2).sum(axis=1) - 7) / (7 * 6)
    assert 0.7 < per_issue.mean() < 0.75
    assert 0.69 < fleiss_kappa(table) < 0.70


def test_people_are_one_owner_one_lead_five_volunteers_and_a_viewer() -> None:
    people = list(rows("people.csv"))
    assert {p["pseudonym"]: p["role"] for p in people} == {
        "R1": "owner", "R2": "lead", "R3": "volunteer", "R4": "volunteer", "R5": "volunteer",
        "R6": "volunteer", "R7": "volunteer", "V1": "viewer",
    }  # fmt: skip
    assert len({p["name"] for p in people}) == 8


def false_positives() -> list[dict[str, Any]]:
    return [json.loads(line) for line in text("false_positives.jsonl").splitlines()]


def test_false_positives_are_other_issues_of_the_same_repositories(issues: list[dict[str, Any]]) -> None:
    found = false_positives()
    urls = {issue["html_url"] for issue in found}
    assert len(urls) == len(found) == 8
    assert not urls & {issue["html_url"] for issue in issues}
    assert {url.rsplit("/", 2)[0] for url in urls} == set(REPOSITORIES)
    for issue in found:
        assert set(issue) == ISSUE_KEYS
        said = [comment["created_at"] for comment in issue["comments"]]
        assert issue["updated_at"] == max([issue["created_at"], *said, issue["closed_at"] or ""])


def test_screening_excludes_the_false_positives_and_nothing_else(issues: list[dict[str, Any]]) -> None:
    out, talked_over = [], []
    for row in rows("screening.csv"):
        types = {row[rater][0] for rater in RATERS}
        (out if types == {"F"} else talked_over).append(row)
        assert bool(row["decision"]) == bool(row["rationale"]) == (types == {"F", "R"})
    assert {row["Issue_URL"] for row in out} == {issue["html_url"] for issue in false_positives()}
    assert {row["decision"] for row in talked_over} == {"R"}
    assert {row["Issue_URL"] for row in talked_over} < {issue["html_url"] for issue in issues}


def test_everybody_passes_the_training_and_one_by_a_hair(labels: list[dict[str, str]]) -> None:
    lines = list(rows("training.csv"))
    assert {row["Issue_URL"] for row in lines} < {row["Issue_URL"] for row in labels}
    assert {row["category"] for row in lines} <= THEMES
    raters = [rater for rater in RATERS if rater != "R2"]
    right = [sum(theme(row[rater]) == row["category"] for row in lines) for rater in raters]
    assert right == [12, 10, 11, 11, 10, 9]
    assert min(right) / len(lines) == 0.75


def test_categories_are_proposed_where_their_authors_have_no_label_and_nothing_is_complete(
    labels: list[dict[str, str]],
) -> None:
    by_url = {row["Issue_URL"]: row for row in labels}
    for row in rows("proposals.csv"):
        assert by_url[row["Issue_URL"]][row["volunteer"]] == ""
        assert by_url[row["Issue_URL"]]["R3"] == ""
        assert row["nearest"] in CODES
        assert row["name"]
        assert row["reason"]
