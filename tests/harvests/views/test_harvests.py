"""Pages of harvests: planned, followed, read and left out of."""

import csv
import io
from datetime import timedelta

import pytest
from django.urls import reverse

from core import jobs
from core.models import Job
from core.templatetags.crosscheck import percent
from harvests import actions
from harvests.models import Harvest, HarvestedRepository
from harvests.queries.reports import Flow, flow_of
from ingest.forges.github import GitHub
from ingest.models import Issue, KeywordList, KeywordListVersion, KeywordTerm
from tests.factories import make_study
from tests.harvests.harvesting import plan, run
from tests.ingest.files import load
from tests.worlds.pages import text_of

pytestmark = pytest.mark.django_db

ZONE = {"zone": "UTC"}


def address(name: str, study, *args) -> str:
    return reverse(name, args=[study.slug, *args])


def spaced(response) -> str:
    return " ".join(response.text.split())


def part(client, path: str, name: str):
    return client.get(path, headers={"HX-Request": "true", "HX-Target": name})


def make_list(study, *terms: str, name: str = "LLM", repositories=()) -> KeywordList:
    made = KeywordList.objects.create(study=study, name=name)
    version = KeywordListVersion.objects.create(
        keyword_list=made, number=1, repositories=list(repositories), switches={}
    )
    KeywordTerm.objects.bulk_create(
        KeywordTerm(version=version, position=position, text=text) for position, text in enumerate(terms, 1)
    )
    return made


def rows_of(response) -> list[list[str]]:
    return list(csv.reader(io.StringIO(b"".join(response).decode())))


class TestList:
    def test_empty_has_the_one_button(self, signed_in, study):
        page = text_of(signed_in.get(address("harvests", study)))

        assert "No harvests yet." in page
        assert page.count("Plan harvest") == 1

    def test_says_state_window_and_numbers(self, signed_in, study, server, lead):
        planned = plan(server, study, server.github("team/tool", issues=4), by=lead.user)
        done = plan(server, study, server.gitee("mind/spore", issues=4), zone="Asia/Shanghai")
        run(done)

        page = text_of(signed_in.get(address("harvests", study)))

        assert f"team/tool opened at any time before the harvest starts · {lead.user} planned" in page
        assert "mind/spore 4 listed → 4 kept · opened at any time before the harvest starts done" in page
        assert f'href="{address("harvest", study, planned.pk)}"' in (
            signed_in.get(address("harvests", study)).text
        )

    def test_polls_only_while_something_moves(self, signed_in, study, server):
        harvest = plan(server, study, server.github("team/tool", issues=4))
        assert "hx-trigger" not in part(signed_in, address("harvests", study), "harvests").text
        actions.start_harvest(harvest=harvest, by=None, rings=False)
        assert "hx-trigger" in part(signed_in, address("harvests", study), "harvests").text

    @pytest.mark.parametrize("how_many", [1, 3])
    def test_takes_a_fixed_number_of_queries(
        self, signed_in, study, server, django_assert_num_queries, how_many
    ):
        for nth in range(how_many):
            run(plan(server, study, server.github(f"team/tool{nth}", issues=1)))
        signed_in.get(address("harvests", study))
        # Session, user, study, membership, harvests, their repositories, addresses, their job, the tabs' round.
        with django_assert_num_queries(9):
            signed_in.get(address("harvests", study))


class TestPlan:
    def post(self, client, study, **fields):
        return client.post(address("new_harvest", study), {"repositories": "a/b", **ZONE, **fields})

    def test_a_plan_is_saved_as_typed(self, signed_in, study, lead):
        words = make_list(study, "llama", repositories=["github.com/a/b"])
        response = self.post(
            signed_in, study, first_day="2023-01-01", last_day="2025-04-30", zone="Asia/Shanghai",
            with_comments="on", lists=[words.pk], minutes="10", save="1",
        )  # fmt: skip

        harvest = Harvest.objects.get()
        assert response["Location"] == address("harvest", study, harvest.pk)
        assert (harvest.budget, harvest.with_comments, harvest.with_pull_requests) == (600, True, False)
        assert list(harvest.lists.all()) == [words]
        assert harvest.run.job is None
        assert "Issues opened from 1 January 2023 00:00 to 30 April 2025 24:00, Asia/Shanghai." in text_of(
            signed_in.get(response["Location"])
        )

    def test_a_harvest_starts_at_once(self, signed_in, study):
        self.post(signed_in, study)

        assert Harvest.objects.get().run.job.kind == "ingest.harvest"

    def test_a_refused_line_keeps_the_text(self, signed_in, study):
        response = self.post(signed_in, study, repositories="a/b\nnothing", minutes="7")

        page = text_of(response)
        assert response.status_code == 422
        assert "Line 2 is not a repository: “nothing”." in page
        assert "a/b nothing" in page
        assert 'value="7"' in response.text
        assert not Harvest.objects.exists()

    def test_a_list_for_none_of_the_repositories_is_refused_at_its_field(self, signed_in, study):
        words = make_list(study, "llama", repositories=["github.com/x/y"])
        response = self.post(signed_in, study, lists=[words.pk])

        assert response.status_code == 422
        assert "No chosen list applies to a/b, so no issue of this repository would be kept." in text_of(
            response
        )
        assert not Harvest.objects.exists()

    def test_a_server_in_a_private_network_is_refused(self, signed_in, study):
        response = self.post(signed_in, study, repositories="https://10.1.2.3/a/b")

        assert response.status_code == 422
        assert "10.1.2.3 is in a private network." in text_of(response)

    def test_a_list_of_another_study_is_no_choice(self, signed_in, study):
        other = make_list(make_study(), "llama")
        response = self.post(signed_in, study, lists=[other.pk])

        assert response.status_code == 422
        assert not Harvest.objects.exists()

    def test_a_double_click_stores_once(self, signed_in, study):
        key = "7b0b3d2e-5d9e-4f55-8c0b-1b1f6d0c8f11"
        for _ in range(2):
            self.post(signed_in, study, form_key=key, save="1")

        assert Harvest.objects.count() == 1

    def test_what_is_missing_without_a_token_is_said_in_numbers(self, signed_in, study):
        page = text_of(signed_in.get(address("new_harvest", study)))

        assert (
            "github.com : no token. GitHub answers 60 requests an hour without a token and 5,000 with a token."
            in page
        )

    def test_tokens_are_named(self, signed_in, study):
        actions.add_token(study=study, host="github.com", text="ghp_0123456789", name="of Mei", by=None)

        page = text_of(signed_in.get(address("new_harvest", study)))

        assert "github.com : of Mei" in page
        assert "ghp_" not in page


class TestEstimate:
    def estimated(self, client, study, server, how=None, **fields):
        lines = f"{server.github_base}/repos/team/tool\n{server.gitee_base}/repos/mind/spore"
        headers = {"HX-Request": "true", "HX-Target": "cost"} if how == "htmx" else {}
        given = {"repositories": lines, "estimate": "1", **ZONE, **fields}
        return client.post(address("new_harvest", study), given, headers=headers)

    @pytest.mark.parametrize("how", ["page", "htmx"])
    def test_asks_for_counts_and_stores_nothing(self, signed_in, study, server, how):
        server.github("team/tool", issues=250, comments=0)
        server.gitee("mind/spore", issues=30, comments=0)

        response = self.estimated(signed_in, study, server, how, with_comments="on", first_day="2024-01-01")

        page = text_of(
            response, '<section class="card lead cost"' if how == "htmx" else "<main", "</section>"
        )
        if how == "page":
            page = text_of(response)
        assert "Issues opened from 1 January 2024 00:00 on, UTC." in page
        assert f"team/tool {server.host} 250" in page
        assert f"mind/spore {server.host} 30" in page
        assert "requests" in page
        assert not Harvest.objects.exists()
        assert {seen.kind for seen in server.seen} <= {"count", "comments", "repository", "issues", "pulls"}

    def test_without_a_token_it_says_what_that_costs(self, signed_in, study, server):
        server.github("team/tool", issues=1350, comments=0, pulls_every=0, step=timedelta(hours=1))
        server.gitee("mind/spore", issues=1, comments=0)

        page = text_of(self.estimated(signed_in, study, server, with_comments="on"))

        # 14 pages, 41 of comments by the usual number, two for late changes, four counts: one over an hour.
        assert (
            f"{server.host} : no token. GitHub answers 60 requests an hour without a token and 5,000 with a token."
            " Without a token, 61 requests take about 1 h 1 min."
        ) in page
        assert "no token. Without a token, Gitee shows only public repositories" in page

    def test_a_repository_that_is_not_there_says_so(self, signed_in, study, server):
        page = text_of(self.estimated(signed_in, study, server))

        assert page.count("not found, or not visible with your tokens") == 2
        assert "2 repositories gave no number and are not counted." in page
        assert " 0 requests" not in page

    def test_an_invalid_plan_says_what_to_correct(self, signed_in, study, server):
        response = self.estimated(signed_in, study, server, "htmx", repositories="nothing")

        assert response.status_code == 422
        assert (
            "No estimate yet. First correct these fields: Line 1 is not a repository: “nothing”."
            in text_of(response, "<section", "</section>")
        )


class TestHarvest:
    def test_a_plan_waits_for_its_start(self, signed_in, study, server):
        harvest = plan(server, study, server.github("team/tool", issues=4))

        page = text_of(signed_in.get(address("harvest", study, harvest.pk)))

        assert "Nothing is fetched yet. Start the harvest when you are ready." in page
        assert "Start harvest" in page
        assert "From listed to kept issues" not in page

    def test_a_running_one_polls_and_is_paused(self, signed_in, study, server):
        harvest = plan(server, study, server.github("team/tool", issues=4))
        signed_in.post(address("start_harvest", study, harvest.pk))

        fragment = part(signed_in, address("harvest", study, harvest.pk), "progress")
        assert "every 2s" in fragment.text
        assert "HX-Refresh" not in fragment
        assert "Pause harvest" in fragment.text

        signed_in.post(address("pause_harvest", study, harvest.pk))
        fragment = part(signed_in, address("harvest", study, harvest.pk), "progress")
        assert "every 2s" not in fragment.text
        assert fragment["HX-Refresh"] == "true"
        assert "This harvest is paused. All fetched pages are kept" in fragment.text
        assert "Resume harvest" in fragment.text

    def test_the_numbers_of_the_figure_are_the_truth(self, signed_in, study, server):
        words = make_list(study, "deadlock")
        repository = server.github("team/tool", issues=40)
        harvest = plan(server, study, repository, lists=[words])
        run(harvest)
        issues = repository.standing(pulls=False).values()
        found = [one for one in issues if "deadlock" in f"{one.title} {one.body}".lower()]
        pulls = len(repository.standing(pulls=True))
        assert 0 < len(found) < len(issues)

        total, _each = flow_of(list(harvest.repositories.all()))

        assert total == Flow(
            listed=len(issues) + pulls,
            pull_requests=pulls,
            unmatched=len(issues) - len(found),
            kept=len(found),
        )
        page = text_of(signed_in.get(address("harvest", study, harvest.pk)))
        assert (
            f"Listed by the forges {len(issues) + pulls} Opened in the window {len(issues) + pulls}"
            f" Pull requests, left out {pulls} Issues {len(issues)} Not matched {len(issues) - len(found)}"
            f" no keyword {len(issues) - len(found)} Matched by a keyword {len(found)} Kept {len(found)}"
        ) in page
        assert (
            f"deadlock {len(found)} {percent(round(len(found) / len(issues), 3))}".replace("\xa0", " ")
            in page
        )

    def test_the_window_and_the_forges_count(self, signed_in, study, server):
        repository = server.gitee("mind/spore", issues=10)
        dates = sorted(one.created_at for one in repository.standing(pulls=False).values())
        harvest = plan(server, study, repository, opened_from=dates[3], opened_before=dates[8])
        run(harvest)

        total, _each = flow_of(list(harvest.repositories.all()))

        assert (total.in_window, total.issues, total.kept) == (5, 5, 5)
        page = text_of(signed_in.get(address("harvest", study, harvest.pk)))
        assert "mind/spore" in page
        assert "complete" in page

    def test_a_missing_page_is_named_with_what_to_do(self, signed_in, study, server):
        repository = server.github("team/tool", issues=330, comments=0)
        server.faults.add(
            "502", kind="issues", when=lambda seen: {"page", "after"} & set(seen.query), times=None
        )
        harvest = plan(server, study, repository)
        run(harvest)

        response = signed_in.get(address("harvest", study, harvest.pk))

        page = text_of(response)
        assert "pages missing" in page
        assert "What is missing" in page
        missing = HarvestedRepository.objects.get().missing_url
        assert missing
        assert missing.replace("&", "&amp;") in response.text
        assert "All pages before this page are kept. “Resume harvest” asks for this page again." in page

    def test_a_repository_that_is_gone(self, signed_in, study, server):
        repository = server.github("team/tool", issues=4)
        repository.status = 404
        harvest = plan(server, study, repository)
        run(harvest)

        page = text_of(signed_in.get(address("harvest", study, harvest.pk)))

        assert "not on the forge" in page
        assert "Check the name of the repository, and whether a token may read it." in page
        assert "done, counts differ" in page

    def test_a_renamed_one_says_its_path(self, signed_in, study, server):
        repository = server.github("team/tool", issues=4)
        harvest = plan(server, study, repository)
        server.rename(repository, "team/better")
        run(harvest)

        assert "now team/better" in text_of(signed_in.get(address("harvest", study, harvest.pk)))

    def test_a_refresh_says_what_it_brought(self, signed_in, study, server):
        repository = server.github("team/tool", issues=8, pulls_every=0)
        harvest = plan(server, study, repository)
        run(harvest)
        server.clock.sleep(7200)
        repository.add()
        repository.edit("1", "Another text")
        server.clock.sleep(60)
        page = text_of(signed_in.get(address("harvest", study, harvest.pk)))
        assert "Fetch changes since" in page

        response = signed_in.post(address("refresh_harvest", study, harvest.pk))

        made = Harvest.objects.get(refreshes=harvest)
        jobs.run(made.run.job.pk)
        assert response["Location"] == address("harvest", study, made.pk)
        assert "new issues 1 changed texts 1 unchanged 0" in text_of(signed_in.get(response["Location"]))

    def test_chooses_again_and_compares(self, signed_in, study, server):
        words = make_list(study, "deadlock")
        harvest = plan(server, study, server.github("team/tool", issues=40), lists=[words])
        run(harvest)
        wider = make_list(study, "step", name="Wide")
        before = harvest.selections.get().counts
        response = signed_in.post(
            address("select_issues", study, harvest.pk), {"versions": [wider.versions.get().pk]}
        )
        page = text_of(signed_in.get(response["Location"]))
        assert "Selecting issues" in page
        failed = "This selection did not finish, so the numbers mix it with the selection before it."
        assert failed not in page
        chosen = f'value="{wider.versions.get().pk}" checked'
        assert chosen not in spaced(signed_in.get(response["Location"]))
        jobs.cancel(Job.objects.latest("pk"))
        assert failed in text_of(signed_in.get(response["Location"]))
        assert chosen in spaced(signed_in.get(response["Location"]))

        signed_in.post(address("select_issues", study, harvest.pk), {"versions": [wider.versions.get().pk]})
        jobs.run(Job.objects.latest("pk").pk)

        page = text_of(signed_in.get(response["Location"]))
        matched = next(iter(before.values()))["matched"]
        assert f"Matched issues: {matched} before, 40 now. Gained: {40 - matched} issues" in page
        gained = text_of(signed_in.get(address("harvested_issues", study, harvest.pk) + "?why=gained&q=1"))
        assert "What the selection changed" in gained
        assert f"found now, not before {40 - matched}" in gained
        assert "Selecting issues" not in page
        assert failed not in page

    def test_says_the_same_after_a_refresh(self, signed_in, study, server):
        """The forge's count, the terms, the comparison and the day are not those of the first walk alone."""
        repository = server.github("team/tool", issues=20, pulls_every=0)
        words = make_list(study, "deadlock", "step")
        harvest = plan(server, study, repository, lists=[words])
        run(harvest)
        narrow = make_list(study, "deadlock", name="Narrow").versions.get()
        for version in (narrow, words.versions.get()):
            jobs.run(actions.select_issues(harvest=harvest, lists=[version], by=None, rings=False).pk)
        server.clock.sleep(2 * 86_400)
        repository.add()
        server.clock.sleep(60)
        refresh = actions.refresh_harvest(harvest=harvest, by=None, rings=False)
        refresh.run.refresh_from_db()
        jobs.run(refresh.run.job.pk)

        page = text_of(signed_in.get(address("harvest", study, harvest.pk)))
        assert "21 21" in page, "as many as its forge counts now"
        assert "searched in 20 issues" in page
        assert "A refresh has fetched issues since this selection." in page
        assert "Gained:" in page
        assert "Fetch changes since 17 Jan 2026" in page
        of_refresh = text_of(signed_in.get(address("harvest", study, refresh.pk)))
        assert "Changes since 15 Jan 2026 in the earlier harvest" in of_refresh
        gained = text_of(signed_in.get(address("harvested_issues", study, harvest.pk) + "?why=gained"))
        assert "step 21" not in gained, "the refresh brought it, not the selection"

    def test_the_list_tells_what_the_latest_selection_kept(self, signed_in, study, server):
        words = make_list(study, "nosuchword")
        harvest = plan(server, study, server.github("team/tool", issues=20, pulls_every=0), lists=[words])
        run(harvest)
        assert "20 listed → 0 kept" in text_of(signed_in.get(address("harvests", study)))
        jobs.run(actions.select_issues(harvest=harvest, lists=[], by=None, rings=False).pk)
        assert "20 listed → 20 kept" in text_of(signed_in.get(address("harvests", study)))

    @pytest.mark.parametrize("how_many", [1, 3])
    def test_takes_a_fixed_number_of_queries(
        self, signed_in, study, server, django_assert_num_queries, how_many
    ):
        lists = [make_list(study, "deadlock", name=f"List {nth}") for nth in range(how_many)]
        repositories = [server.github(f"team/tool{nth}", issues=2) for nth in range(how_many)]
        harvest = plan(server, study, *repositories, lists=lists)
        run(harvest)
        signed_in.get(address("harvest", study, harvest.pk))

        with django_assert_num_queries(26):
            signed_in.get(address("harvest", study, harvest.pk))

    def test_nothing_of_another_study_is_here(self, signed_in, study, server):
        other = plan(server, make_study(), server.github("team/tool", issues=4))
        for name in ("harvest", "harvest_pages", "harvest_pages_csv", "harvest_numbers", "harvested_issues"):
            assert signed_in.get(address(name, study, other.pk)).status_code == 404
        for name in ("start_harvest", "pause_harvest", "refresh_harvest", "select_issues"):
            assert signed_in.post(address(name, study, other.pk)).status_code == 404


class TestAddresses:
    """Issues known by their address only."""

    @pytest.fixture(autouse=True)
    def _public(self, server, monkeypatch) -> None:
        """github.com is the server."""
        monkeypatch.setattr(GitHub, "default_base", server.github_base)

    def test_nothing_of_it_is_said_where_all_have_texts(self, signed_in, study):
        assert "Resolve addresses" not in text_of(signed_in.get(address("harvests", study)))
        assert signed_in.post(address("resolve_listed", study)).status_code == 409

    def test_the_forges_are_asked_and_the_outcome_is_counted(self, signed_in, study, server):
        repository = server.github("team/tool", issues=4, pulls_every=2, comments=0)
        repository.delete("1")
        lines = "\n".join(f"https://github.com/team/tool/issues/{number}" for number in ("1", "2", "3", "4"))
        load(study, lines.encode(), "list.txt")
        page = text_of(signed_in.get(address("harvests", study)))
        assert "Issues known by address only 4 without text Resolve addresses" in page

        signed_in.post(address("resolve_listed", study))
        page = signed_in.get(address("harvests", study))
        assert "Asking forges about addresses" in text_of(page)
        assert "Resolve addresses" not in text_of(page)
        assert "HX-Refresh" not in part(signed_in, address("harvests", study), "job")
        jobs.run(Job.objects.latest("pk").pk)

        assert part(signed_in, address("harvests", study), "job")["HX-Refresh"] == "true"
        page = text_of(signed_in.get(address("harvests", study)))
        assert "issues 2 pull requests 1 gone from the forge 1" in page
        assert "no longer on the forge" in text_of(signed_in.get(address("issues", study)))
        gone = Issue.objects.get(number="1")
        assert "no longer on the forge" in text_of(signed_in.get(address("issue", study, gone.pk)))


class TestElsewhere:
    def test_the_list_of_imports_leads_to_it(self, signed_in, study, server):
        harvest = plan(server, study, server.github("team/tool", issues=4))
        run_page = address("import", study, harvest.run.pk)

        assert "planned, not started · harvest" in text_of(signed_in.get(address("imports", study)))
        assert signed_in.get(run_page)["Location"] == address("harvest", study, harvest.pk)

    def test_it_is_neither_confirmed_nor_discarded_as_a_file(self, signed_in, study, server):
        harvest = plan(server, study, server.github("team/tool", issues=4))
        for name in ("confirm_import", "discard_import"):
            assert signed_in.post(address(name, study, harvest.run.pk)).status_code == 404
        assert signed_in.get(address("import_rows", study, harvest.run.pk)).status_code == 404
        assert Harvest.objects.exists()

    def test_the_studys_way_shows_it_until_it_is_finished(self, signed_in, study, server):
        harvest = plan(server, study, server.github("team/tool", issues=4))
        job = actions.start_harvest(harvest=harvest, by=None, rings=False)
        address_of_it = f'href="{address("harvest", study, harvest.pk)}"'

        page = signed_in.get(address("study", study))
        assert "Harvest now 0 records, begins soon" in text_of(page)
        assert address_of_it in page.text
        Job.objects.filter(pk=job.pk).update(state="running", done=40, total=1200)
        assert "Harvest now 40 of about 1,200 records, running" in text_of(
            signed_in.get(address("study", study))
        )
        actions.pause_harvest(harvest=harvest, by=None)
        jobs.run(job.pk)
        assert "40 records, paused" in text_of(signed_in.get(address("study", study)))
        run(harvest)
        assert "Harvest done 4 issues, 1 repository" in text_of(signed_in.get(address("study", study)))


class TestFiles:
    def test_the_figure_as_files(self, signed_in, study, server):
        harvest = plan(server, study, server.github("team/tool", issues=4))
        run(harvest)

        svg = signed_in.get(address("harvest_flow", study, harvest.pk, "svg"))
        pdf = signed_in.get(address("harvest_flow", study, harvest.pk, "pdf"))

        assert svg.text.startswith('<svg xmlns="http://www.w3.org/2000/svg"')
        assert "Flow of the harvest of team/tool" in svg.text
        assert pdf.content.startswith(b"%PDF")
        assert signed_in.get(address("harvest_flow", study, harvest.pk, "exe")).status_code == 404

    def test_there_is_no_figure_before_the_first_selection(self, signed_in, study, server):
        harvest = plan(server, study, server.github("team/tool", issues=4))
        assert signed_in.get(address("harvest_flow", study, harvest.pk, "svg")).status_code == 404

    def test_numbers_journal_and_terms_as_csv(self, signed_in, study, server):
        words = make_list(study, "deadlock")
        harvest = plan(server, study, server.gitee("mind/spore", issues=4), lists=[words])
        run(harvest)

        header, row = rows_of(signed_in.get(address("harvest_numbers", study, harvest.pk)))
        assert dict(zip(header, row, strict=True)) | {"unmatched": "", "kept": "", "matched": ""} == {
            "host": "gitee.com", "repository": "mind/spore", "listed": "4", "outside": "0", "in_window": "4",
            "vanished": "0", "pull_requests": "0", "refused": "0", "issues": "4", "unmatched": "", "path_only": "0",
            "matched": "", "by_hand": "0", "kept_earlier": "0", "kept": "", "forges_count": "4", "outcome": "complete",
        }  # fmt: skip
        header, *pages = rows_of(signed_in.get(address("harvest_pages_csv", study, harvest.pk)))
        assert len(pages) == harvest.repositories.get().pages.count() > 1
        assert [page[header.index("page")] for page in pages] == [str(n + 1) for n in range(len(pages))]
        terms = rows_of(signed_in.get(address("harvest_terms", study, harvest.pk)))
        assert [row[:4] for row in terms[1:]] == [["LLM", "1", "4", "deadlock"]]


class TestRecords:
    def test_the_journal_lists_pages_by_key(self, signed_in, study, server):
        harvest = plan(server, study, server.github("team/tool", issues=4))
        assert "No pages yet." in text_of(signed_in.get(address("harvest_pages", study, harvest.pk)))
        run(harvest)

        page = text_of(signed_in.get(address("harvest_pages", study, harvest.pk)))

        first = harvest.repositories.get().pages.order_by("pk").first()
        assert first.url in page
        assert first.sha256[:12] in page

    def test_left_out_issues_by_reason(self, signed_in, study, server):
        words = make_list(study, "deadlock")
        repository = server.github("team/tool", issues=40)
        harvest = plan(server, study, repository, lists=[words])
        run(harvest)
        unmatched = harvest.repositories.get().listed.filter(outcome="unmatched")

        page = text_of(signed_in.get(address("harvested_issues", study, harvest.pk)))
        assert f"no keyword {unmatched.count()}" in page
        assert f"{unmatched.count()} issues, in the order of fetching" in page
        pulls = text_of(signed_in.get(address("harvested_issues", study, harvest.pk) + "?why=pull_requests"))
        assert "10 issues, in the order of fetching" in pulls
        one = unmatched.first()
        narrowed = text_of(
            signed_in.get(
                address("harvested_issues", study, harvest.pk) + f"?why=unmatched&q=%23{one.number}"
            )
        )
        assert "1 issue, in the order of fetching" in narrowed

    def test_keeps_by_hand_and_takes_back(self, signed_in, study, server):
        words = make_list(study, "deadlock")
        repository = server.github("team/tool", issues=40, pulls_every=0)
        for nth in range(2):
            repository.add(body="See https://example.org/deadlock/x").title = f"Link {nth}"
        server.clock.sleep(60)
        harvest = plan(server, study, repository, lists=[words])
        run(harvest)
        rows = harvest.repositories.get().listed
        before = flow_of(list(harvest.repositories.all()))[0]
        assert before.path_only == 2
        there = address("harvested_issues", study, harvest.pk)
        assert "Keep these issues" in text_of(signed_in.get(f"{there}?why=path_only"))

        one = rows.filter(outcome="unmatched").first()
        response = signed_in.post(
            address("keep_issues", study, harvest.pk), {"issue": one.pk, "why": "unmatched"}, follow=True
        )
        assert "1 issue is kept." in text_of(response, "<body", "</body>")
        assert response.redirect_chain == [(f"{there}?why=unmatched", 302)]
        signed_in.post(address("keep_issues", study, harvest.pk), {"all": "path_only"})
        kept = flow_of(list(harvest.repositories.all()))[0]
        assert (kept.by_hand, kept.path_only, kept.kept) == (3, 0, before.kept + 3)
        assert kept.matched == before.matched
        page = text_of(signed_in.get(address("harvest", study, harvest.pk)))
        assert "Kept without a match 3 by a lead 3" in page

        signed_in.post(address("take_back_issues", study, harvest.pk), {"issue": one.pk})
        one.refresh_from_db()
        assert (one.outcome, one.kept_by_hand, one.issue_id) == ("unmatched", False, None)
        assert "Take issue back" in text_of(signed_in.get(f"{there}?why=by_hand"))
