"""All endpoints of the REST API."""

from django.urls import URLPattern, URLResolver, include, path

from accounts.rest.endpoints import Schema
from annotate.api import chains, labels, model_labels, proposed_categories, rounds, samples, training
from boards.api import boards
from consensus.api import bulk, meetings, threads
from findings.api import evidence, findings
from harvests import api as harvests
from ingest.api import issues as ingest
from ingest.api import keyword_lists, removal, similar
from interviews.api import codebooks, coding_reports, codings, open_codes, rankings, tables
from interviews.api import people as interviewed
from interviews.api import sessions as interviews
from protocols.api import protocols
from replication.api import packages
from reports.api import frozen, groups, report_files, reports, taxonomy_figure, weights
from reports.api.consensus import Consensus
from standards.api import items as standards
from studies import api as studies
from taxonomy.api import drafts, motions
from taxonomy.api import versions as taxonomy
from taxonomy.api.files import CodebookFile

of_study = [
    path("", studies.OneStudy.as_view(), name="api_study"),
    path("members/", studies.Members.as_view(), name="api_members"),
    path("guideline/", studies.OneGuideline.as_view(), name="api_guideline"),
    path("guideline/versions/", studies.GuidelineVersions.as_view(), name="api_guideline_versions"),
    path("taxonomies/", taxonomy.Taxonomies.as_view(), name="api_taxonomies"),
    path("issues/", ingest.Issues.as_view(), name="api_issues"),
    path("issues/<int:issue_id>/", ingest.OneIssue.as_view(), name="api_issue"),
    path("issues/<int:issue_id>/remove/", removal.RemovedIssue.as_view(), name="api_remove_issue"),
    path("imports/", removal.Imports.as_view(), name="api_imports"),
    path("imports/<int:import_id>/take-back/", removal.TakenBack.as_view(), name="api_take_back_import"),
    path("keyword-lists/", keyword_lists.KeywordLists.as_view(), name="api_keyword_lists"),
    path("keyword-lists/<int:list_id>/", keyword_lists.OneKeywordList.as_view(), name="api_keyword_list"),
    path(
        "keyword-lists/<int:list_id>/versions/",
        keyword_lists.KeywordListVersions.as_view(),
        name="api_keyword_versions",
    ),
    path(
        "keyword-lists/<int:list_id>/versions/<int:number>/",
        keyword_lists.OneKeywordListVersion.as_view(),
        name="api_keyword_version",
    ),
    path("similar/", similar.SimilarReports.as_view(), name="api_similar"),
    path("harvests/", harvests.Harvests.as_view(), name="api_harvests"),
    path("harvests/<int:harvest_id>/", harvests.OneHarvest.as_view(), name="api_harvest"),
    path("harvests/<int:harvest_id>/start/", harvests.HarvestStart.as_view(), name="api_start_harvest"),
    path("harvests/<int:harvest_id>/pause/", harvests.HarvestPause.as_view(), name="api_pause_harvest"),
    path("harvests/<int:harvest_id>/refresh/", harvests.HarvestRefresh.as_view(), name="api_refresh_harvest"),
    path(
        "harvests/<int:harvest_id>/compared/",
        harvests.ComparedHarvests.as_view(),
        name="api_compared_harvests",
    ),
    path("harvests/<int:harvest_id>/pages/", harvests.HarvestJournal.as_view(), name="api_harvest_pages"),
    path("interviews/", interviews.Interviews.as_view(), name="api_interviews"),
    path("codings/agreement/", coding_reports.CodingsAgreement.as_view(), name="api_codings_agreement"),
    path(
        "codings/agreement.csv",
        coding_reports.CodingsAgreementCsv.as_view(),
        name="api_codings_agreement_csv",
    ),
    path("codings/coverage/", coding_reports.Coverage.as_view(), name="api_coverage"),
    path("open-codes/", open_codes.OpenCodes.as_view(), name="api_open_codes"),
    path("codings/", codings.Codings.as_view(), name="api_codings"),
    path("interview-guides/", interviews.Guides.as_view(), name="api_guides"),
    path("interview-codebook/", codebooks.InterviewCodebook.as_view(), name="api_interview_codebook"),
    path("interviews.qdpx", codebooks.QdaProject.as_view(), name="api_qda_project"),
    path("imported-codebooks/", codebooks.ImportedCodebooks.as_view(), name="api_imported_codebooks"),
    path("rankings/", rankings.Rankings.as_view(), name="api_rankings"),
    path("rankings.csv", rankings.RankingsCsv.as_view(), name="api_rankings_csv"),
    path("audiences/", interviewed.Audiences.as_view(), name="api_audiences"),
    path("audiences/<int:audience_id>/", interviewed.OneAudience.as_view(), name="api_audience"),
    path("participants/", interviewed.Participants.as_view(), name="api_participants"),
    path("participants/import/", tables.ParticipantTable.as_view(), name="api_import_participants"),
    path("consent-texts/", interviewed.ConsentTexts.as_view(), name="api_consent_texts"),
    path("interviewers/", interviewed.Interviewers.as_view(), name="api_interviewers"),
    path("protocols/", protocols.Protocols.as_view(), name="api_protocols"),
    path("protocols/<int:number>/", protocols.OneProtocol.as_view(), name="api_protocol"),
    path("protocol-draft/", protocols.ProtocolDraft.as_view(), name="api_protocol_draft"),
    path("protocol-draft/freeze/", protocols.ProtocolFreeze.as_view(), name="api_freeze_protocol"),
    path("deviations/", protocols.Deviations.as_view(), name="api_deviations"),
    path("findings/", findings.Findings.as_view(), name="api_findings"),
    path("findings/figures/", findings.Figures.as_view(), name="api_figures"),
    path("standards/", standards.Standards.as_view(), name="api_standards"),
    path("standards/<slug:key>/", standards.OneStandard.as_view(), name="api_standard"),
    path("standards/files/<str:name>/", standards.StandardText.as_view(), name="api_standard_text"),
    path(
        "standards/<slug:key>/<str:item>/",
        standards.StandardAnswer.as_view(),
        name="api_standard_answer",
    ),
    path("samples/", samples.Samples.as_view(), name="api_samples"),
    path("samples/<int:sample_id>/", samples.OneSample.as_view(), name="api_sample"),
    path("rounds/", rounds.Rounds.as_view(), name="api_rounds"),
    path("exports/labels.csv", reports.LabelsCsv.as_view(), name="api_labels_csv"),
]
of_version = [
    path("", taxonomy.Categories.as_view(), name="api_categories"),
    path("codebook.<slug:form>", CodebookFile.as_view(), name="api_codebook"),
    path("figure.<slug:form>", taxonomy_figure.TaxonomyFigureFile.as_view(), name="api_taxonomy_figure"),
    path("weights/", weights.TaxonomyWeights.as_view(), name="api_taxonomy_weights"),
]
of_taxonomy = [
    path("draft/", drafts.DraftOf.as_view(), name="api_draft"),
    path("draft/changes/", drafts.DraftChanges.as_view(), name="api_draft_changes"),
    path("draft/undo/", drafts.DraftUndo.as_view(), name="api_draft_undo"),
    path("draft/redo/", drafts.DraftRedo.as_view(), name="api_draft_redo"),
    path("draft/publish/", drafts.DraftPublication.as_view(), name="api_draft_publish"),
    path("proposals/", motions.Proposals.as_view(), name="api_proposals"),
    path("proposals/<int:number>/ballot/", motions.ProposalBallot.as_view(), name="api_proposal_ballot"),
    path(
        "proposals/<int:number>/comments/", motions.ProposalComments.as_view(), name="api_proposal_comments"
    ),
    path("names/", proposed_categories.MissingNames.as_view(), name="api_missing_names"),
    path("boards/", boards.Boards.as_view(), name="api_boards"),
]
of_board = [
    path("state/", boards.BoardState.as_view(), name="api_board_state"),
    path("acts/", boards.BoardActs.as_view(), name="api_board_acts"),
    path("agreement/", boards.BoardAgreementOf.as_view(), name="api_board_agreement"),
    path("mapping.csv", boards.BoardMapping.as_view(), name="api_board_mapping"),
]
of_agreement = [
    path("", reports.Agreement.as_view(), name="api_agreement"),
    path("group/", groups.AgreementGroup.as_view(), name="api_agreement_group"),
    path("files/", report_files.ReportFiles.as_view(), name="api_report_files"),
    path("files/<int:job_id>/", report_files.OneReportFile.as_view(), name="api_report_file"),
    path(
        "files/<int:job_id>/content/",
        report_files.ReportFileContent.as_view(),
        name="api_report_file_content",
    ),
    path("frozen/", frozen.FrozenReports.as_view(), name="api_frozen_reports"),
    path("frozen/<int:frozen_id>/", frozen.OneFrozenReport.as_view(), name="api_frozen_report"),
    path(
        "frozen/<int:frozen_id>/difference/", frozen.FrozenDifference.as_view(), name="api_frozen_difference"
    ),
]
of_round = [
    path("", rounds.OneRound.as_view(), name="api_round"),
    path("open/", rounds.OpenRound.as_view(), name="api_open_round"),
    path("close/", rounds.CloseRound.as_view(), name="api_close_round"),
    path("claim/", labels.Claim.as_view(), name="api_claim"),
    path("labels/", labels.Labels.as_view(), name="api_labels"),
    path("labels/<int:issue_id>/", labels.OneLabel.as_view(), name="api_label"),
    path("issues/", model_labels.RoundIssues.as_view(), name="api_round_issues"),
    path("model-labels/", model_labels.ModelLabels.as_view(), name="api_model_labels"),
    path("disagreements/", reports.Disagreements.as_view(), name="api_disagreements"),
    path("screening/", reports.Screening.as_view(), name="api_screening"),
    path("issues/<int:issue_id>/decisions/", reports.Decisions.as_view(), name="api_decisions"),
    path("issues/<int:issue_id>/comments/", threads.Comments.as_view(), name="api_comments"),
    path("bulk/", bulk.BulkDecisions.as_view(), name="api_bulk"),
    path("bulk/<int:bulk_id>/take-back/", bulk.BulkTakenBack.as_view(), name="api_take_back_bulk"),
    path("consensus/", Consensus.as_view(), name="api_consensus"),
    path("meetings/", meetings.Meetings.as_view(), name="api_meetings"),
    path("chain/", chains.Chain.as_view(), name="api_chain"),
    path("training/", training.Training.as_view(), name="api_training"),
    path("packages/", packages.Packages.as_view(), name="api_packages"),
    path("packages/<int:job_id>/", packages.OnePackage.as_view(), name="api_package"),
    path("packages/<int:job_id>/content/", packages.PackageContent.as_view(), name="api_package_content"),
]
of_meeting = [
    path("", meetings.OneMeeting.as_view(), name="api_meeting"),
    path("items/<int:item_id>/ballot/", meetings.OneBallot.as_view(), name="api_ballot"),
    path("items/<int:item_id>/decision/", meetings.ItemDecisions.as_view(), name="api_item_decision"),
    path("minutes/", meetings.MeetingMinutes.as_view(), name="api_minutes"),
]
of_participant = [
    path("", interviewed.OneParticipant.as_view(), name="api_participant"),
    path("identity/", interviewed.ParticipantIdentity.as_view(), name="api_identity"),
    path("consents/", interviewed.Consents.as_view(), name="api_consents"),
    path(
        "consents/<int:consent_id>/withdraw/",
        interviewed.ConsentWithdrawal.as_view(),
        name="api_withdraw_consent",
    ),
    path("erase/", interviewed.ParticipantErasure.as_view(), name="api_erase_participant"),
]
of_interview = [
    path("", interviews.OneInterview.as_view(), name="api_interview"),
    path("transcript/", interviews.InterviewTranscript.as_view(), name="api_transcript"),
    path("pseudonymise/", interviews.Pseudonymisation.as_view(), name="api_pseudonymise"),
    path("corrections/", interviews.Corrections.as_view(), name="api_corrections"),
    path("rankings/", interviews.InterviewRankings.as_view(), name="api_interview_rankings"),
    path("rankings/<int:question_id>/", interviews.OneRanking.as_view(), name="api_ranking"),
    path("coding/", codings.InterviewCoding.as_view(), name="api_new_coding"),
]
of_coding = [
    path("", codings.OneCoding.as_view(), name="api_coding"),
    path("quotes/", codings.Quotes.as_view(), name="api_quotes"),
    path("done/", codings.CodingDone.as_view(), name="api_coding_done"),
    path("agreement/", coding_reports.CodingAgreementOf.as_view(), name="api_coding_agreement"),
    path("agreement.csv", coding_reports.CodingAgreementCsv.as_view(), name="api_coding_agreement_csv"),
    path("items/", codings.Items.as_view(), name="api_items"),
    path("items/undo/", codings.ItemUndo.as_view(), name="api_undo_item"),
    path("coders/", codings.CodersOf.as_view(), name="api_coders"),
    path("place/", codings.QuoteMove.as_view(), name="api_place_quote"),
    path("settle/", codings.CodingSettling.as_view(), name="api_settle_coding"),
    path("reopen/", codings.CodingReopening.as_view(), name="api_reopen_coding"),
]
of_finding = [
    path("", findings.OneFinding.as_view(), name="api_finding"),
    path("move/", findings.FindingMoved.as_view(), name="api_move_finding"),
    path("freeze/", findings.FindingFrozenState.as_view(), name="api_freeze_finding"),
    path("restore/", findings.FindingRestored.as_view(), name="api_restore_finding"),
    path("evidence/", evidence.FindingEvidence.as_view(), name="api_attach_evidence"),
    path("evidence/<int:number>/remove/", evidence.RemovedEvidence.as_view(), name="api_remove_evidence"),
    path("confirm/", evidence.ConfirmedEvidence.as_view(), name="api_confirm_evidence"),
]
urlpatterns: list[URLPattern | URLResolver] = [
    path("schema/", Schema.as_view(), name="api_schema"),
    path("studies/", studies.Studies.as_view(), name="api_studies"),
    path("studies/<slug:slug>/", include(of_study)),
    path("taxonomies/<int:taxonomy_id>/versions/<int:number>/", include(of_version)),
    path("taxonomies/<int:taxonomy_id>/", include(of_taxonomy)),
    path("boards/<int:board_id>/", include(of_board)),
    path("rounds/<int:round_id>/agreement/", include(of_agreement)),
    path("rounds/<int:round_id>/", include(of_round)),
    path("meetings/<int:meeting_id>/", include(of_meeting)),
    path("interview-guides/<int:guide_id>/", interviews.OneGuide.as_view(), name="api_guide"),
    path("participants/<int:participant_id>/", include(of_participant)),
    path("interviews/<int:session_id>/", include(of_interview)),
    path("codings/<int:coding_id>/", include(of_coding)),
    path("findings/<int:finding_id>/", include(of_finding)),
]
