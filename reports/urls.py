from django.urls import URLPattern, path

from reports.views import (
    agreement,
    calibration,
    consensus,
    dry_run,
    final_labels,
    frozen,
    pictures,
    report_files,
    screening,
    taxonomy_figure,
)

urlpatterns: list[URLPattern] = [
    path("rounds/<int:round_id>/final-labels/", final_labels.final_labels, name="final_labels"),
    path("rounds/<int:round_id>/final-labels.csv", final_labels.final_labels_csv, name="final_labels_csv"),
    path("rounds/<int:round_id>/screening/", screening.screening, name="screening"),
    path("rounds/<int:round_id>/screening/table.csv", screening.screening_csv, name="screening_csv"),
    path("rounds/<int:round_id>/screening/flow.svg", screening.screening_flow, name="screening_flow"),
    path(
        "rounds/<int:round_id>/screening/<int:issue_id>/decide/", screening.screen_issue, name="screen_issue"
    ),
    path("rounds/<int:round_id>/consensus/", consensus.consensus, name="consensus"),
    path("rounds/<int:round_id>/agreement/", agreement.agreement, name="agreement"),
    path("rounds/<int:round_id>/agreement/frozen/", frozen.frozen_reports, name="frozen_reports"),
    path(
        "rounds/<int:round_id>/agreement/frozen/<int:frozen_id>/", frozen.frozen_report, name="frozen_report"
    ),
    path(
        "rounds/<int:round_id>/agreement/frozen/<int:frozen_id>.json", frozen.frozen_json, name="frozen_json"
    ),
    path(
        "rounds/<int:round_id>/agreement/pictures/<slug:name>.<slug:form>",
        pictures.agreement_picture,
        name="agreement_picture",
    ),
    path(
        "rounds/<int:round_id>/agreement/files/make/",
        report_files.make_agreement_file,
        name="make_agreement_file",
    ),
    path(
        "rounds/<int:round_id>/agreement/files/<int:job_id>/",
        report_files.agreement_file,
        name="agreement_file",
    ),
    path(
        "rounds/<int:round_id>/agreement/files/<int:job_id>/content/",
        report_files.send_agreement_file,
        name="send_agreement_file",
    ),
    path("taxonomies/<int:taxonomy_id>/figure/", taxonomy_figure.taxonomy_figure, name="taxonomy_figure"),
    path(
        "taxonomies/<int:taxonomy_id>/figure/taxonomy.<slug:form>",
        taxonomy_figure.taxonomy_figure_file,
        name="taxonomy_figure_file",
    ),
    path("studies/<slug:slug>/training/", calibration.training, name="training"),
    path("taxonomies/<int:taxonomy_id>/draft/dry-run/", dry_run.draft_dry_run, name="draft_dry_run"),
]
