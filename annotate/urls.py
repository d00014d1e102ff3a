from django.urls import URLPattern, path

from annotate.views import (
    agreement,
    calibration,
    disagreements,
    exports,
    labels,
    overview,
    round_builder,
    rounds,
    training,
)

urlpatterns: list[URLPattern] = [
    path("studies/<slug:slug>/rounds/", rounds.rounds, name="rounds"),
    path("studies/<slug:slug>/rounds/new/", round_builder.new_round, name="new_round"),
    path("rounds/<int:round_id>/", rounds.round_page, name="round"),
    path("rounds/<int:round_id>/open/", rounds.open_round, name="open_round"),
    path("rounds/<int:round_id>/close/", rounds.close_round, name="close_round"),
    path("rounds/<int:round_id>/disagreements/", disagreements.disagreements, name="disagreements"),
    path(
        "rounds/<int:round_id>/disagreements/<int:issue_id>/settle/",
        disagreements.settle_issue,
        name="settle_issue",
    ),
    path("", overview.home, name="home"),
    path("studies/<slug:slug>/", overview.study, name="study"),
    path("studies/<slug:slug>/export/", exports.export, name="export"),
    path("studies/<slug:slug>/export/download/", exports.download, name="download_export"),
    path("rounds/<int:round_id>/agreement/", agreement.agreement, name="agreement"),
    path("rounds/<int:round_id>/label/", labels.label, name="label"),
    path("rounds/<int:round_id>/label/next/", labels.next_issue, name="next_issue"),
    path("rounds/<int:round_id>/label/ahead/", labels.ahead, name="ahead"),
    path("rounds/<int:round_id>/label/submit/", labels.submit_label, name="submit_label"),
    path("rounds/<int:round_id>/label/change/", labels.change_label, name="change_label"),
    path("rounds/<int:round_id>/label/draft/", labels.save_draft, name="save_draft"),
    path("rounds/<int:round_id>/label/skip/", labels.skip_issue, name="skip_issue"),
    path("rounds/<int:round_id>/label/take-back/", labels.take_back_skip, name="take_back_skip"),
    path("rounds/<int:round_id>/mine/", labels.own_labels, name="own_labels"),
    path("studies/<slug:slug>/training/", calibration.training, name="training"),
    path("rounds/<int:round_id>/answers/", training.answers, name="answers"),
    path("rounds/<int:round_id>/answers/<int:issue_id>/", training.set_answer, name="set_answer"),
    path(
        "rounds/<int:round_id>/answers/<int:issue_id>/remove/", training.remove_answer, name="remove_answer"
    ),
    path("rounds/<int:round_id>/answers/<int:issue_id>/comment/", training.comment, name="comment"),
]
