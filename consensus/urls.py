from django.urls import URLPattern, URLResolver, include, path

from consensus.views import (
    agendas,
    alike,
    bulk,
    disagreements,
    follow_ups,
    matrix_files,
    meeting_acts,
    meeting_room,
    meetings,
    minutes,
    threads,
)

_DISAGREEMENTS = [
    path("", disagreements.disagreements, name="disagreements"),
    path("<int:issue_id>/settle/", disagreements.settle_issue, name="settle_issue"),
    path("<int:issue_id>/comment/", threads.comment_on_issue, name="comment_on_issue"),
    path("<int:issue_id>/seen/", threads.see_mentions, name="see_mentions"),
    path("<int:issue_id>/reopen/", agendas.reopen_issue, name="reopen_issue"),
    path("filters/save/", disagreements.save_disagreement_filter, name="save_disagreement_filter"),
    path(
        "filters/<int:filter_id>/remove/",
        disagreements.remove_disagreement_filter,
        name="remove_disagreement_filter",
    ),
    path("agenda/", agendas.put_on_agenda, name="put_on_agenda"),
    path("pair/", agendas.assign_pair, name="assign_pair"),
    path("alike/", alike.alike, name="alike"),
    path("alike/decide/", alike.decide_alike, name="decide_alike"),
    path("majority/", bulk.decide_majority, name="decide_majority"),
    path("matrix.<str:form>", matrix_files.disagreements_matrix, name="disagreements_matrix"),
]
_MEETING = [
    path("", meeting_room.meeting, name="meeting"),
    path("here/", meeting_room.here, name="here"),
    path("away/", meeting_room.away, name="away"),
    path("open/", meeting_acts.open_meeting, name="open_meeting"),
    path("close/", meeting_acts.close_meeting, name="close_meeting"),
    path("chair/", meeting_acts.take_chair, name="take_chair"),
    path("turn/", meeting_acts.turn, name="turn"),
    path("alike/", meeting_acts.decide_alike_here, name="decide_alike_here"),
    path("close-votes/", meeting_acts.close_votes, name="close_votes"),
    path("plan/", meetings.change_meeting, name="change_meeting"),
    path("minutes/", minutes.minutes, name="minutes"),
    path("minutes.md", minutes.minutes_md, name="minutes_md"),
    path("minutes.pdf", minutes.minutes_pdf, name="minutes_pdf"),
]
_ITEM = [
    path("vote/", meeting_acts.open_vote, name="open_vote"),
    path("ballot/", meeting_acts.cast_ballot, name="cast_ballot"),
    path("reveal/", meeting_acts.close_vote, name="close_vote"),
    path("decide/", meeting_acts.decide_item, name="decide_item"),
    path("park/", meeting_acts.park, name="park"),
    path("come-back/", meeting_acts.come_back, name="come_back"),
    path("reopen/", meeting_acts.reopen_item, name="reopen_item"),
    path("comment/", meeting_acts.comment_on_item, name="comment_on_item"),
    path("take-off/", meeting_acts.take_off_agenda, name="take_off_agenda"),
    path("follow-up/", meeting_acts.follow_up, name="follow_up"),
]
_FOLLOW_UPS = [
    path("", follow_ups.follow_ups, name="follow_ups"),
    path("<int:follow_up_id>/done/", follow_ups.mark_follow_up, name="mark_follow_up"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("rounds/<int:round_id>/disagreements/", include(_DISAGREEMENTS)),
    path("rounds/<int:round_id>/bulk/<int:bulk_id>/take-back/", bulk.take_back_bulk, name="take_back_bulk"),
    path("rounds/<int:round_id>/meetings/", meetings.meetings, name="meetings"),
    path("rounds/<int:round_id>/meetings/new/", meetings.new_meeting, name="new_meeting"),
    path("meetings/<int:meeting_id>/", include(_MEETING)),
    path("meetings/<int:meeting_id>/items/<int:item_id>/", include(_ITEM)),
    path("studies/<slug:slug>/meetings/", meetings.study_meetings, name="study_meetings"),
    path("studies/<slug:slug>/follow-ups/", include(_FOLLOW_UPS)),
]
