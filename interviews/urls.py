from django.urls import URLPattern, URLResolver, include, path

from interviews.views import (
    codebooks,
    coding_reports,
    codings,
    consents,
    erasing,
    guides,
    identities,
    open_codes,
    participants,
    rankings,
    reconciling,
    sessions,
    tables,
    transcripts,
)

of_codebook: list[URLPattern | URLResolver] = [
    path("", codebooks.imported_codebook, name="imported_codebook"),
    path("codebook.csv", codebooks.imported_codebook_csv, name="imported_codebook_csv"),
    path("remove/", codebooks.remove_imported_codebook, name="remove_imported_codebook"),
]
of_study: list[URLPattern | URLResolver] = [
    path("interviews/", sessions.interviews, name="interviews"),
    path("interviews/new/", sessions.new_interview, name="new_interview"),
    path("interviews/participants/", participants.participants, name="participants"),
    path("interviews/participants/new/", participants.new_participant, name="new_participant"),
    path("interviews/participants/import/", tables.import_table, name="import_participants"),
    path("interviews/guide/", guides.guides, name="guides"),
    path("interviews/guide/new/", guides.new_guide, name="new_guide"),
    path("interviews/audiences/", participants.audiences, name="audiences"),
    path("interviews/audiences/<int:audience_id>/", participants.edit_audience, name="edit_audience"),
    path("interviews/codebook/", codebooks.interview_codebook, name="interview_codebook"),
    path("interviews/codebook/codebook.csv", codebooks.codebook_csv, name="codebook_csv"),
    path("interviews/codebook/project.qdpx", codebooks.qda_project, name="qda_project"),
    path("interviews/codebook/import/", codebooks.new_codebook, name="import_codebook"),
    path("interviews/codebook/<int:codebook_id>/", include(of_codebook)),
    path("interviews/coding/", codings.codings, name="codings"),
    path("interviews/agreement/", coding_reports.codings_agreement, name="codings_agreement"),
    path("interviews/coverage/", coding_reports.coverage_page, name="coverage"),
    path("interviews/coverage/saturation.<str:form>", coding_reports.saturation_file, name="saturation_file"),
    path("interviews/open-codes/", open_codes.open_codes, name="open_codes"),
    path("interviews/open-codes/propose/", open_codes.propose_code, name="propose_open_code"),
    path("interviews/rankings/", rankings.rankings, name="rankings"),
    path("interviews/rankings.csv", rankings.rankings_csv, name="rankings_csv"),
    path("interviews/rankings/<int:question_id>/ranks.<str:form>", rankings.ranks_file, name="ranks_file"),
    path("interviews/consent/", consents.consents, name="consents"),
    path("interviews/interviewers/", consents.interviewers, name="interviewers"),
]
of_participant: list[URLPattern | URLResolver] = [
    path("", participants.participant, name="participant"),
    path("edit/", participants.edit_participant, name="edit_participant"),
    path("identity/", identities.identity, name="identity"),
    path("identity/show/", identities.show_identity, name="show_identity"),
    path("identity/save/", identities.name_identity, name="name_identity"),
    path("erase/", erasing.erase, name="erase_participant"),
    path("consents/", consents.new_consent, name="new_consent"),
    path("consents/<int:consent_id>/withdraw/", consents.end_consent, name="end_consent"),
]
of_interview: list[URLPattern | URLResolver] = [
    path("", sessions.interview, name="interview"),
    path("edit/", sessions.edit_interview, name="edit_interview"),
    path("transcript/", transcripts.new_transcript, name="new_transcript"),
    path("pseudonymise/", transcripts.pseudonymise, name="pseudonymise"),
    path("correct/", transcripts.correct, name="correct_transcript"),
    path("rankings/", rankings.rank, name="rank"),
    path("coding/", codings.new_coding, name="new_coding"),
]
of_coding: list[URLPattern | URLResolver] = [
    path("", codings.coding, name="code_interview"),
    path("quotes/", codings.code_quote, name="code_quote"),
    path("done/", codings.end_coding, name="end_coding"),
    path("agreement/", coding_reports.coding_agreement, name="coding_agreement"),
    path("reconcile/", reconciling.reconcile, name="reconcile"),
    path("reconcile/settle/", reconciling.settle_item, name="settle_item"),
    path("reconcile/undo/", reconciling.undo_item, name="undo_item"),
    path("settle/", reconciling.end_settling, name="settle_coding"),
    path("reopen/", reconciling.reopen, name="reopen_coding"),
]
urlpatterns: list[URLPattern | URLResolver] = [
    path("studies/<str:slug>/", include(of_study)),
    path("guides/<int:guide_id>/", guides.guide, name="guide"),
    path("guides/<int:guide_id>/guide.md", guides.guide_md, name="guide_md"),
    path("participants/<int:participant_id>/", include(of_participant)),
    path("interviews/<int:session_id>/", include(of_interview)),
    path("codings/<int:coding_id>/", include(of_coding)),
]
