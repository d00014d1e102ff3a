from django.urls import URLPattern, path

from consensus.views import (
    agendas,
    alike,
    bulk,
    disagreements,
    follow_ups,
    meeting_acts,
    meeting_room,
    meetings,
    minutes,
    threads,
)

urlpatterns: list[URLPattern] = [
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
]
