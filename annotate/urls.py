from django.urls import URLPattern, path

from annotate.views import (
    agendas,
    agreement,
    alike,
    bulk,
    calibration,
    consensus,
    digests,
    disagreements,
    exports,
    final_labels,
    follow_ups,
    frozen,
    labels,
    meeting_acts,
    meeting_room,
    meetings,
    minutes,
    overview,
    pictures,
    pilot,
    report_files,
    round_builder,
    rounds,
    samples,
    screening,
    taxonomy_figure,
    threads,
    training,
    volunteers,
)

urlpatterns: list[URLPattern] = [
    path("studies/<slug:slug>/rounds/", rounds.rounds, name="rounds"),
    path("studies/<slug:slug>/rounds/new/", round_builder.new_round, name="new_round"),
    path("studies/<slug:slug>/samples/", samples.samples, name="samples"),
    path("studies/<slug:slug>/samples/new/", samples.new_sample, name="new_sample"),
    path("studies/<slug:slug>/samples/<int:sample_id>/", samples.sample, name="sample"),
    path("studies/<slug:slug>/samples/<int:sample_id>/sample.csv", samples.sample_csv, name="sample_csv"),
    path("rounds/<int:round_id>/", rounds.round_page, name="round"),
    path("rounds/<int:round_id>/pilot/", pilot.pilot, name="pilot"),
    path("rounds/<int:round_id>/pilot/training/", pilot.pilot_training, name="pilot_training"),
    path("rounds/<int:round_id>/open/", rounds.open_round, name="open_round"),
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
    path("rounds/<int:round_id>/disagreements/", disagreements.disagreements, name="disagreements"),
    path(
        "rounds/<int:round_id>/disagreements/<int:issue_id>/settle/",
        disagreements.settle_issue,
        name="settle_issue",
    ),
    path(
        "rounds/<int:round_id>/disagreements/<int:issue_id>/comment/",
        threads.comment_on_issue,
        name="comment_on_issue",
    ),
    path(
        "rounds/<int:round_id>/disagreements/<int:issue_id>/seen/", threads.see_mentions, name="see_mentions"
    ),
    path(
        "rounds/<int:round_id>/disagreements/<int:issue_id>/reopen/",
        agendas.reopen_issue,
        name="reopen_issue",
    ),
    path(
        "rounds/<int:round_id>/disagreements/filters/save/",
        disagreements.save_disagreement_filter,
        name="save_disagreement_filter",
    ),
    path(
        "rounds/<int:round_id>/disagreements/filters/<int:filter_id>/remove/",
        disagreements.remove_disagreement_filter,
        name="remove_disagreement_filter",
    ),
    path("rounds/<int:round_id>/disagreements/agenda/", agendas.put_on_agenda, name="put_on_agenda"),
    path("rounds/<int:round_id>/disagreements/pair/", agendas.assign_pair, name="assign_pair"),
    path("rounds/<int:round_id>/disagreements/alike/", alike.alike, name="alike"),
    path("rounds/<int:round_id>/disagreements/alike/decide/", alike.decide_alike, name="decide_alike"),
    path("rounds/<int:round_id>/disagreements/majority/", bulk.decide_majority, name="decide_majority"),
    path("rounds/<int:round_id>/bulk/<int:bulk_id>/take-back/", bulk.take_back_bulk, name="take_back_bulk"),
    path("rounds/<int:round_id>/final-labels/", final_labels.final_labels, name="final_labels"),
    path("rounds/<int:round_id>/final-labels.csv", final_labels.final_labels_csv, name="final_labels_csv"),
    path("rounds/<int:round_id>/screening/", screening.screening, name="screening"),
    path("rounds/<int:round_id>/screening/table.csv", screening.screening_csv, name="screening_csv"),
    path("rounds/<int:round_id>/screening/flow.svg", screening.screening_flow, name="screening_flow"),
    path(
        "rounds/<int:round_id>/screening/<int:issue_id>/decide/", screening.screen_issue, name="screen_issue"
    ),
    path("rounds/<int:round_id>/consensus/", consensus.consensus, name="consensus"),
    path("studies/<slug:slug>/digest/", digests.set_digest, name="set_digest"),
    path("meetings/<int:meeting_id>/", meeting_room.meeting, name="meeting"),
    path("meetings/<int:meeting_id>/here/", meeting_room.here, name="here"),
    path("meetings/<int:meeting_id>/away/", meeting_room.away, name="away"),
    path("meetings/<int:meeting_id>/open/", meeting_acts.open_meeting, name="open_meeting"),
    path("meetings/<int:meeting_id>/close/", meeting_acts.close_meeting, name="close_meeting"),
    path("meetings/<int:meeting_id>/chair/", meeting_acts.take_chair, name="take_chair"),
    path("meetings/<int:meeting_id>/turn/", meeting_acts.turn, name="turn"),
    path("meetings/<int:meeting_id>/alike/", meeting_acts.decide_alike_here, name="decide_alike_here"),
    path("meetings/<int:meeting_id>/close-votes/", meeting_acts.close_votes, name="close_votes"),
    path("meetings/<int:meeting_id>/items/<int:item_id>/vote/", meeting_acts.open_vote, name="open_vote"),
    path(
        "meetings/<int:meeting_id>/items/<int:item_id>/ballot/", meeting_acts.cast_ballot, name="cast_ballot"
    ),
    path("meetings/<int:meeting_id>/items/<int:item_id>/reveal/", meeting_acts.close_vote, name="close_vote"),
    path(
        "meetings/<int:meeting_id>/items/<int:item_id>/decide/", meeting_acts.decide_item, name="decide_item"
    ),
    path("meetings/<int:meeting_id>/items/<int:item_id>/park/", meeting_acts.park, name="park"),
    path(
        "meetings/<int:meeting_id>/items/<int:item_id>/come-back/", meeting_acts.come_back, name="come_back"
    ),
    path(
        "meetings/<int:meeting_id>/items/<int:item_id>/reopen/", meeting_acts.reopen_item, name="reopen_item"
    ),
    path(
        "meetings/<int:meeting_id>/items/<int:item_id>/comment/",
        meeting_acts.comment_on_item,
        name="comment_on_item",
    ),
    path(
        "meetings/<int:meeting_id>/items/<int:item_id>/take-off/",
        meeting_acts.take_off_agenda,
        name="take_off_agenda",
    ),
    path(
        "meetings/<int:meeting_id>/items/<int:item_id>/follow-up/", meeting_acts.follow_up, name="follow_up"
    ),
    path("rounds/<int:round_id>/meetings/", meetings.meetings, name="meetings"),
    path("rounds/<int:round_id>/meetings/new/", meetings.new_meeting, name="new_meeting"),
    path("meetings/<int:meeting_id>/plan/", meetings.change_meeting, name="change_meeting"),
    path("meetings/<int:meeting_id>/minutes/", minutes.minutes, name="minutes"),
    path("meetings/<int:meeting_id>/minutes.md", minutes.minutes_md, name="minutes_md"),
    path("meetings/<int:meeting_id>/minutes.pdf", minutes.minutes_pdf, name="minutes_pdf"),
    path("studies/<slug:slug>/follow-ups/", follow_ups.follow_ups, name="follow_ups"),
    path(
        "studies/<slug:slug>/follow-ups/<int:follow_up_id>/done/",
        follow_ups.mark_follow_up,
        name="mark_follow_up",
    ),
    path("", overview.home, name="home"),
    path("studies/<slug:slug>/", overview.study, name="study"),
    path("studies/<slug:slug>/export/", exports.export, name="export"),
    path("studies/<slug:slug>/export/download/", exports.download, name="download_export"),
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
