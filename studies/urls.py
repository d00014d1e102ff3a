"""Addresses of a study's people and guideline; a room above draws home and the overview, with counts."""

from django.urls import URLPattern, path

from studies import views

urlpatterns: list[URLPattern] = [
    path("studies/new/", views.new_study, name="new_study"),
    path("studies/<slug:slug>/people/", views.people, name="people"),
    path("studies/<slug:slug>/people/invite/", views.invite, name="invite"),
    path("studies/<slug:slug>/people/models/", views.add_model, name="add_model"),
    path("studies/<slug:slug>/people/<int:member_id>/role/", views.change_role, name="change_role"),
    path("studies/<slug:slug>/people/<int:member_id>/end/", views.end_membership, name="end_membership"),
    path("studies/<slug:slug>/people/<int:member_id>/rejoin/", views.rejoin, name="rejoin"),
    path(
        "studies/<slug:slug>/people/<int:member_id>/token/", views.make_model_token, name="make_model_token"
    ),
    path(
        "studies/<slug:slug>/invitations/<int:invitation_id>/revoke/",
        views.revoke_invitation,
        name="revoke_invitation",
    ),
    path("studies/<slug:slug>/guideline/", views.guideline, name="guideline"),
    path("studies/<slug:slug>/guideline/edit/", views.edit_guideline, name="edit_guideline"),
    path("studies/<slug:slug>/guideline/read/", views.read_guideline, name="read_guideline"),
    path("studies/<slug:slug>/audit/", views.audit_page, name="audit"),
    path("invitations/<slug:token>/", views.accept_invitation, name="accept_invitation"),
]
