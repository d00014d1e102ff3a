"""All endpoints of the REST API on one screen."""

from django.urls import URLPattern, URLResolver, path
from drf_spectacular.views import SpectacularAPIView

from annotate.api import (
    boards,
    bulk,
    frozen,
    labels,
    meetings,
    missing,
    model_labels,
    report_files,
    reports,
    rounds,
    samples,
    taxonomy_figure,
    threads,
    training,
)
from ingest import api as ingest
from studies import api as studies
from taxonomy import api as taxonomy
from taxonomy import draft_api, motion_api
from taxonomy.api_files import CodebookFile

urlpatterns: list[URLPattern | URLResolver] = [
    path("schema/", SpectacularAPIView.as_view(), name="api_schema"),
    path("studies/", studies.Studies.as_view(), name="api_studies"),
    path("studies/<slug:slug>/", studies.OneStudy.as_view(), name="api_study"),
    path("studies/<slug:slug>/members/", studies.Members.as_view(), name="api_members"),
    path("studies/<slug:slug>/guideline/", studies.OneGuideline.as_view(), name="api_guideline"),
    path(
        "studies/<slug:slug>/guideline/versions/",
        studies.GuidelineVersions.as_view(),
        name="api_guideline_versions",
    ),
    path("studies/<slug:slug>/taxonomies/", taxonomy.Taxonomies.as_view(), name="api_taxonomies"),
    path("taxonomies/<int:taxonomy_id>/draft/", draft_api.DraftOf.as_view(), name="api_draft"),
    path(
        "taxonomies/<int:taxonomy_id>/draft/changes/",
        draft_api.DraftChanges.as_view(),
        name="api_draft_changes",
    ),
    path("taxonomies/<int:taxonomy_id>/draft/undo/", draft_api.DraftUndo.as_view(), name="api_draft_undo"),
    path("taxonomies/<int:taxonomy_id>/draft/redo/", draft_api.DraftRedo.as_view(), name="api_draft_redo"),
    path(
        "taxonomies/<int:taxonomy_id>/draft/publish/",
        draft_api.DraftPublication.as_view(),
        name="api_draft_publish",
    ),
    path("taxonomies/<int:taxonomy_id>/proposals/", motion_api.Proposals.as_view(), name="api_proposals"),
    path(
        "taxonomies/<int:taxonomy_id>/proposals/<int:number>/ballot/",
        motion_api.ProposalBallot.as_view(),
        name="api_proposal_ballot",
    ),
    path(
        "taxonomies/<int:taxonomy_id>/proposals/<int:number>/comments/",
        motion_api.ProposalComments.as_view(),
        name="api_proposal_comments",
    ),
    path("taxonomies/<int:taxonomy_id>/names/", missing.MissingNames.as_view(), name="api_missing_names"),
    path(
        "taxonomies/<int:taxonomy_id>/versions/<int:number>/",
        taxonomy.Categories.as_view(),
        name="api_categories",
    ),
    path(
        "taxonomies/<int:taxonomy_id>/versions/<int:number>/codebook.<slug:form>",
        CodebookFile.as_view(),
        name="api_codebook",
    ),
    path(
        "taxonomies/<int:taxonomy_id>/versions/<int:number>/figure.<slug:form>",
        taxonomy_figure.TaxonomyFigureFile.as_view(),
        name="api_taxonomy_figure",
    ),
    path("taxonomies/<int:taxonomy_id>/boards/", boards.Boards.as_view(), name="api_boards"),
    path("boards/<int:board_id>/state/", boards.BoardState.as_view(), name="api_board_state"),
    path("boards/<int:board_id>/acts/", boards.BoardActs.as_view(), name="api_board_acts"),
    path("boards/<int:board_id>/agreement/", boards.BoardAgreementOf.as_view(), name="api_board_agreement"),
    path("boards/<int:board_id>/mapping.csv", boards.BoardMapping.as_view(), name="api_board_mapping"),
    path("studies/<slug:slug>/issues/", ingest.Issues.as_view(), name="api_issues"),
    path("studies/<slug:slug>/issues/<int:issue_id>/", ingest.OneIssue.as_view(), name="api_issue"),
    path("studies/<slug:slug>/samples/", samples.Samples.as_view(), name="api_samples"),
    path("studies/<slug:slug>/samples/<int:sample_id>/", samples.OneSample.as_view(), name="api_sample"),
    path("studies/<slug:slug>/rounds/", rounds.Rounds.as_view(), name="api_rounds"),
    path("rounds/<int:round_id>/", rounds.OneRound.as_view(), name="api_round"),
    path("rounds/<int:round_id>/open/", rounds.OpenRound.as_view(), name="api_open_round"),
    path("rounds/<int:round_id>/close/", rounds.CloseRound.as_view(), name="api_close_round"),
    path("rounds/<int:round_id>/claim/", labels.Claim.as_view(), name="api_claim"),
    path("rounds/<int:round_id>/labels/", labels.Labels.as_view(), name="api_labels"),
    path("rounds/<int:round_id>/labels/<int:issue_id>/", labels.OneLabel.as_view(), name="api_label"),
    path("rounds/<int:round_id>/issues/", model_labels.RoundIssues.as_view(), name="api_round_issues"),
    path("rounds/<int:round_id>/model-labels/", model_labels.ModelLabels.as_view(), name="api_model_labels"),
    path("rounds/<int:round_id>/disagreements/", reports.Disagreements.as_view(), name="api_disagreements"),
    path("rounds/<int:round_id>/screening/", reports.Screening.as_view(), name="api_screening"),
    path(
        "rounds/<int:round_id>/issues/<int:issue_id>/decisions/",
        reports.Decisions.as_view(),
        name="api_decisions",
    ),
    path(
        "rounds/<int:round_id>/issues/<int:issue_id>/comments/",
        threads.Comments.as_view(),
        name="api_comments",
    ),
    path("rounds/<int:round_id>/bulk/", bulk.BulkDecisions.as_view(), name="api_bulk"),
    path(
        "rounds/<int:round_id>/bulk/<int:bulk_id>/take-back/",
        bulk.BulkTakenBack.as_view(),
        name="api_take_back_bulk",
    ),
    path("rounds/<int:round_id>/consensus/", meetings.Consensus.as_view(), name="api_consensus"),
    path("rounds/<int:round_id>/meetings/", meetings.Meetings.as_view(), name="api_meetings"),
    path("meetings/<int:meeting_id>/", meetings.OneMeeting.as_view(), name="api_meeting"),
    path(
        "meetings/<int:meeting_id>/items/<int:item_id>/ballot/",
        meetings.OneBallot.as_view(),
        name="api_ballot",
    ),
    path(
        "meetings/<int:meeting_id>/items/<int:item_id>/decision/",
        meetings.ItemDecisions.as_view(),
        name="api_item_decision",
    ),
    path("meetings/<int:meeting_id>/minutes/", meetings.MeetingMinutes.as_view(), name="api_minutes"),
    path("rounds/<int:round_id>/training/", training.Training.as_view(), name="api_training"),
    path("rounds/<int:round_id>/agreement/", reports.Agreement.as_view(), name="api_agreement"),
    path(
        "rounds/<int:round_id>/agreement/files/",
        report_files.ReportFiles.as_view(),
        name="api_report_files",
    ),
    path(
        "rounds/<int:round_id>/agreement/files/<int:job_id>/",
        report_files.OneReportFile.as_view(),
        name="api_report_file",
    ),
    path(
        "rounds/<int:round_id>/agreement/files/<int:job_id>/content/",
        report_files.ReportFileContent.as_view(),
        name="api_report_file_content",
    ),
    path(
        "rounds/<int:round_id>/agreement/frozen/", frozen.FrozenReports.as_view(), name="api_frozen_reports"
    ),
    path(
        "rounds/<int:round_id>/agreement/frozen/<int:frozen_id>/",
        frozen.OneFrozenReport.as_view(),
        name="api_frozen_report",
    ),
    path(
        "rounds/<int:round_id>/agreement/frozen/<int:frozen_id>/difference/",
        frozen.FrozenDifference.as_view(),
        name="api_frozen_difference",
    ),
    path("studies/<slug:slug>/exports/labels.csv", reports.LabelsCsv.as_view(), name="api_labels_csv"),
]
