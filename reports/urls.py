from django.urls import URLPattern, URLResolver, include, path

from reports.views import (
    agreement,
    calibration,
    consensus,
    dry_run,
    final_labels,
    forecasts,
    frozen,
    keyword_false_positives,
    pictures,
    report_files,
    screening,
    study_report,
    taxonomy_figure,
    weights,
)

_OF_A_ROUND: list[URLPattern] = [
    path("final-labels/", final_labels.final_labels, name="final_labels"),
    path("final-labels.csv", final_labels.final_labels_csv, name="final_labels_csv"),
    path("screening/", screening.screening, name="screening"),
    path("screening/table.csv", screening.screening_csv, name="screening_csv"),
    path("screening/flow.svg", screening.screening_flow, name="screening_flow"),
    path("screening/<int:issue_id>/decide/", screening.screen_issue, name="screen_issue"),
    path("consensus/", consensus.consensus, name="consensus"),
    path("agreement/", agreement.agreement, name="agreement"),
    path("agreement/frozen/", frozen.frozen_reports, name="frozen_reports"),
    path("agreement/frozen/<int:frozen_id>/", frozen.frozen_report, name="frozen_report"),
    path("agreement/frozen/<int:frozen_id>.json", frozen.frozen_json, name="frozen_json"),
    path("agreement/pictures/<slug:name>.<slug:form>", pictures.agreement_picture, name="agreement_picture"),
    path("agreement/files/make/", report_files.make_agreement_file, name="make_agreement_file"),
    path("agreement/files/<int:job_id>/", report_files.agreement_file, name="agreement_file"),
    path(
        "agreement/files/<int:job_id>/content/", report_files.send_agreement_file, name="send_agreement_file"
    ),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("rounds/<int:round_id>/", include(_OF_A_ROUND)),
    path("taxonomies/<int:taxonomy_id>/figure/", taxonomy_figure.taxonomy_figure, name="taxonomy_figure"),
    path(
        "taxonomies/<int:taxonomy_id>/figure/taxonomy.<slug:form>",
        taxonomy_figure.taxonomy_figure_file,
        name="taxonomy_figure_file",
    ),
    path("taxonomies/<int:taxonomy_id>/weights/", weights.taxonomy_weights, name="taxonomy_weights"),
    path(
        "taxonomies/<int:taxonomy_id>/weights.csv", weights.taxonomy_weights_csv, name="taxonomy_weights_csv"
    ),
    path(
        "studies/<slug:slug>/keywords/<int:list_id>/false-positives.csv",
        keyword_false_positives.keyword_false_positives_csv,
        name="keyword_false_positives",
    ),
    path("studies/<slug:slug>/forecast/", forecasts.forecast, name="forecast"),
    path("studies/<slug:slug>/report/", study_report.study_report, name="study_report"),
    path("studies/<slug:slug>/training/", calibration.training, name="training"),
    path("taxonomies/<int:taxonomy_id>/draft/dry-run/", dry_run.draft_dry_run, name="draft_dry_run"),
]
