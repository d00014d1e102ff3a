from django.urls import URLPattern, path

from annotate.views import (
    examples,
    labels,
    pilot,
    proposed_categories,
    round_builder,
    rounds,
    samples,
    training,
    volunteers,
)

urlpatterns: list[URLPattern] = [
    path("studies/<slug:slug>/rounds/", rounds.rounds, name="rounds"),
    path("studies/<slug:slug>/rounds/new/", round_builder.new_round, name="new_round"),
    path("studies/<slug:slug>/found-issues/", samples.use_found_issues, name="use_found_issues"),
    path("studies/<slug:slug>/samples/", samples.samples, name="samples"),
    path("studies/<slug:slug>/samples/new/", samples.new_sample, name="new_sample"),
    path("studies/<slug:slug>/samples/<int:sample_id>/", samples.sample, name="sample"),
    path("studies/<slug:slug>/samples/<int:sample_id>/sample.csv", samples.sample_csv, name="sample_csv"),
    path("rounds/<int:round_id>/", rounds.round_page, name="round"),
    path("rounds/<int:round_id>/pilot/", pilot.pilot, name="pilot"),
    path("rounds/<int:round_id>/pilot/training/", pilot.pilot_training, name="pilot_training"),
    path("rounds/<int:round_id>/open/", rounds.open_round, name="open_round"),
    path("rounds/<int:round_id>/plan/", round_builder.edit_plan, name="edit_plan"),
    path(
        "rounds/<int:round_id>/take-back-opening/", round_builder.take_back_opening, name="take_back_opening"
    ),
    path("rounds/<int:round_id>/delete/", round_builder.delete_round, name="delete_round"),
    path("rounds/<int:round_id>/close/", rounds.close_round, name="close_round"),
    path("rounds/<int:round_id>/incomplete/", rounds.incomplete_issues, name="incomplete_issues"),
    path("rounds/<int:round_id>/incomplete.csv", rounds.incomplete_csv, name="incomplete_csv"),
    path("rounds/<int:round_id>/volunteers/", volunteers.round_volunteers, name="round_volunteers"),
    path("rounds/<int:round_id>/volunteers/add/", volunteers.add_volunteer, name="add_volunteer"),
    path(
        "rounds/<int:round_id>/volunteers/<int:member_id>/remove/",
        volunteers.remove_volunteer,
        name="remove_volunteer",
    ),
    path("rounds/<int:round_id>/volunteers/<int:member_id>/quota/", volunteers.set_quota, name="set_quota"),
    path("rounds/<int:round_id>/volunteers/<int:member_id>/admit/", volunteers.admit, name="admit"),
    path("rounds/<int:round_id>/labels-per-issue/", volunteers.raise_labels, name="raise_labels"),
    path("rounds/<int:round_id>/deadline/", volunteers.set_deadline, name="set_deadline"),
    path("rounds/<int:round_id>/label/", labels.label, name="label"),
    path("rounds/<int:round_id>/label/next/", labels.next_issue, name="next_issue"),
    path("rounds/<int:round_id>/label/ahead/", labels.ahead, name="ahead"),
    path("rounds/<int:round_id>/label/submit/", labels.submit_label, name="submit_label"),
    path("rounds/<int:round_id>/label/change/", labels.change_label, name="change_label"),
    path("rounds/<int:round_id>/label/draft/", labels.save_draft, name="save_draft"),
    path("rounds/<int:round_id>/label/skip/", labels.skip_issue, name="skip_issue"),
    path("rounds/<int:round_id>/label/take-back/", labels.take_back_skip, name="take_back_skip"),
    path("rounds/<int:round_id>/mine/", labels.own_labels, name="own_labels"),
    path("rounds/<int:round_id>/answers/", training.answers, name="answers"),
    path("rounds/<int:round_id>/answers/<int:issue_id>/", training.set_answer, name="set_answer"),
    path(
        "rounds/<int:round_id>/answers/<int:issue_id>/remove/", training.remove_answer, name="remove_answer"
    ),
    path("rounds/<int:round_id>/answers/<int:issue_id>/comment/", training.comment, name="comment"),
    path("taxonomies/<int:taxonomy_id>/draft/examples/", examples.draft_examples, name="draft_examples"),
    path(
        "taxonomies/<int:taxonomy_id>/draft/examples/take/", examples.take_as_example, name="take_as_example"
    ),
    path("taxonomies/<int:taxonomy_id>/missing/vote/", proposed_categories.put_to_vote, name="put_to_vote"),
    path("taxonomies/<int:taxonomy_id>/missing/answer/", proposed_categories.answer_name, name="answer_name"),
    path("taxonomies/<int:taxonomy_id>/missing/join/", proposed_categories.join_name, name="join_name"),
]
