"""Addresses of a study's people and guideline; a room above this one makes home and the overview."""

from django.urls import URLPattern, URLResolver, include, path

from studies.views import guidelines, people, settings

of_study = [
    path("people/", people.people, name="people"),
    path("people/invite/", people.invite, name="invite"),
    path("people/models/", people.add_model, name="add_model"),
    path("people/<int:member_id>/role/", people.change_role, name="change_role"),
    path("people/<int:member_id>/end/", people.end_membership, name="end_membership"),
    path("people/<int:member_id>/rejoin/", people.rejoin, name="rejoin"),
    path("people/<int:member_id>/token/", people.make_model_token, name="make_model_token"),
    path("invitations/<int:invitation_id>/revoke/", people.revoke_invitation, name="revoke_invitation"),
    path("guideline/", guidelines.guideline, name="guideline"),
    path("guideline/edit/", guidelines.edit_guideline, name="edit_guideline"),
    path("guideline/read/", guidelines.read_guideline, name="read_guideline"),
    path("audit/", people.audit_page, name="audit"),
    path("settings/", settings.study_settings, name="study_settings"),
    path("settings/archive/", settings.archive_study, name="archive_study"),
    path("settings/unarchive/", settings.unarchive_study, name="unarchive_study"),
    path("settings/delete/", settings.delete_study, name="delete_study"),
    path("settings/keep/", settings.keep_study, name="keep_study"),
]
urlpatterns: list[URLPattern | URLResolver] = [
    path("accounts/me/erase/", people.erase_me, name="erase_me"),
    path("studies/new/", people.new_study, name="new_study"),
    path("invitations/<slug:token>/", people.accept_invitation, name="accept_invitation"),
    path("studies/<slug:slug>/", include(of_study)),
]
